//! The conversation as a person on the channel sees it, from acknowledged operations only.

use crate::shown::Sent;
use foldback_pipeline::is_made_up;
use foldback_store::one_line;
use foldback_wire::{
    Attachment, Capabilities, ChannelId, Inbound, Kind, MessageId, OpKind, OutcomeCode, VoiceForm,
    rpc::{Bubble, BubbleAttachment, BubbleFile, BubblePart, ChannelPreview, LedgerEntry, Reaction, VoiceOf},
    visible,
};
use std::collections::BTreeMap;

/// Characters of an answered message that its answer quotes.
const QUOTE: usize = 80;

/// Name under which the bot's own messages stand.
const BOT: &str = "bot";

/// A message as its answer quotes it: one line of its beginning.
pub(crate) fn quoted(text: &str) -> String {
    one_line(text, QUOTE)
}

/// What the user saw after these operations. Operations of a dry run are shown, and a note says that they
/// are not there: else the preview of a dry run would be empty, which looks like a fault.
pub(super) fn seen(
    inbound: &Inbound,
    files: &BTreeMap<u32, BubbleAttachment>,
    capabilities: &Capabilities,
    ledger: &[LedgerEntry],
    typing: bool,
) -> ChannelPreview {
    let mut chat = Chat::new(&inbound.channel, capabilities);
    chat.preview.typing = typing;
    if is_made_up(&inbound.message) {
        chat.note("No message of the user began this turn.".to_owned());
    } else {
        chat.user(inbound);
        if let Some(bubble) = chat.preview.bubbles.last_mut() {
            bubble.attachments = attachments(inbound, files);
        }
    }
    let mut settled: Vec<_> = ledger.iter().filter(|e| e.outcome.is_some()).collect();
    settled.sort_by_key(|e| e.outcome_seq);
    let mut dry = 0;
    for entry in settled {
        let Some(outcome) = &entry.outcome else { continue };
        match outcome.code {
            OutcomeCode::Sent => chat.apply(entry),
            OutcomeCode::DryRun => {
                dry += 1;
                chat.apply(entry);
            }
            // What was done in its place says what is there.
            OutcomeCode::Unknown if outcome.is_dead() => {
                let why = outcome.detail.as_deref().unwrap_or("the reason is not known");
                let why = why.trim_end_matches('.');
                chat.note(format!(
                    "{} may or may not be there: {why}.",
                    name(entry.intent.kind)
                ));
            }
            _ => {}
        }
    }
    if dry > 0 {
        chat.note(format!("Dry run: none of this reached {}.", inbound.channel));
    }
    chat.preview
}

/// The files of a message, as far as it is known what came of them.
fn attachments(inbound: &Inbound, gathered: &BTreeMap<u32, BubbleAttachment>) -> Vec<BubbleAttachment> {
    let files = (0..).zip(&inbound.files);
    let told = |file: &Attachment| BubbleAttachment {
        name: visible(&file.name).into_owned(),
        media_type: visible(&file.media_type).into_owned(),
        bytes: file.size,
        fate: None,
        why: String::new(),
        understood: None,
    };
    let known = |(index, file): (u32, &Attachment)| match gathered.get(&index) {
        Some(known) => BubbleAttachment {
            bytes: known.bytes.or(file.size),
            ..known.clone()
        },
        None => told(file),
    };
    files.map(known).collect()
}

/// A preview under construction.
pub(crate) struct Chat<'a> {
    capabilities: &'a Capabilities,
    pub(crate) preview: ChannelPreview,
}

impl<'a> Chat<'a> {
    /// An empty conversation on a channel.
    pub(crate) fn new(channel: &ChannelId, capabilities: &'a Capabilities) -> Self {
        let preview = ChannelPreview {
            channel: channel.clone(),
            platform: capabilities.platform,
            rules: String::new(),
            bubbles: Vec::new(),
            typing: false,
            notes: Vec::new(),
        };
        Self {
            capabilities,
            preview,
        }
    }

    /// Says something about the conversation, once.
    pub(crate) fn note(&mut self, note: String) {
        if !self.preview.notes.contains(&note) {
            self.preview.notes.push(note);
        }
    }

    /// The user's message.
    pub(crate) fn user(&mut self, inbound: &Inbound) {
        let text = inbound.readable_text();
        let mut bubble = self.text(Some(inbound.message.clone()), &text, inbound.reply_to.as_ref());
        // A person's words are not rendered here, and no limit of the bot's counts them.
        bubble.part = BubblePart::Text {
            text: text.clone().into_owned(),
            rendering: None,
        };
        bubble.length = self.measure(&text);
        bubble.from_bot = false;
        bubble.author = visible(inbound.sender.readable_name()).into_owned();
        self.preview.bubbles.push(bubble);
    }

    /// What an operation leaves in the conversation.
    pub(crate) fn apply(&mut self, entry: &LedgerEntry) {
        let intent = &entry.intent;
        let made = entry.outcome.as_ref().and_then(|o| o.message.clone());
        let text = entry.text.clone().unwrap_or_default();
        match intent.kind {
            OpKind::SendText => {
                let bubble = self.text(made, &text, intent.reply_to.as_ref());
                self.preview.bubbles.push(bubble);
            }
            OpKind::SendFile => {
                let path = intent.path.as_deref().unwrap_or_default();
                let file = BubbleFile {
                    name: visible(path.rsplit(['/', '\\']).next().unwrap_or(path)).into_owned(),
                    kind: intent.file_kind.unwrap_or(foldback_wire::FileKind::File),
                    caption: entry.text.clone(),
                    rendering: Sent::of(&text, self.capabilities).rendering(&text),
                };
                let mut bubble = self.text(made, &text, intent.reply_to.as_ref());
                bubble.limit = self.capabilities.caption_limit as u32;
                bubble.part = BubblePart::File { file };
                self.preview.bubbles.push(bubble);
            }
            OpKind::SendVoice => {
                let note = self.capabilities.voice == Some(VoiceForm::Note);
                let mut bubble = self.text(made, &text, None);
                bubble.length = self.measure(&text);
                let spoken = entry.spoken.as_ref();
                let kept = spoken.and_then(|spoken| spoken.kept.clone());
                bubble.part = BubblePart::Voice {
                    text,
                    note,
                    sound: kept.map(|name| VoiceOf::Kept { name }),
                    duration_ms: spoken.map(|spoken| spoken.duration_ms),
                };
                self.preview.bubbles.push(bubble);
            }
            OpKind::EditText => {
                let edited = self.text(None, &text, None);
                if let Some(bubble) = self.find(intent.message.as_ref()) {
                    (bubble.part, bubble.length) = (edited.part, edited.length);
                    bubble.edits += 1;
                }
            }
            OpKind::Delete => {
                if let Some(bubble) = self.find(intent.message.as_ref()) {
                    bubble.deleted = true;
                }
            }
            OpKind::React => self.react(entry),
            OpKind::Typing => {}
        }
    }

    fn react(&mut self, entry: &LedgerEntry) {
        let emoji = entry.intent.emoji.clone().unwrap_or_default();
        let sent = entry.intent.emoji_sent.clone().unwrap_or_else(|| emoji.clone());
        match self.find(entry.intent.message.as_ref()) {
            Some(bubble) => bubble.reactions.push(Reaction { emoji, sent }),
            None => self.note(format!(
                "{emoji} was put on an earlier message{}.",
                entry
                    .intent
                    .message
                    .as_ref()
                    .map_or_else(String::new, |id| format!(", {id}"))
            )),
        }
    }

    /// A bubble of the bot.
    pub(crate) fn text(
        &self,
        message: Option<MessageId>,
        text: &str,
        reply_to: Option<&MessageId>,
    ) -> Bubble {
        let sent = Sent::of(text, self.capabilities);
        Bubble {
            message,
            from_bot: true,
            author: BOT.to_owned(),
            quote: reply_to.map(|id| self.quote(id)),
            length: sent.counts as u32,
            part: BubblePart::Text {
                text: text.to_owned(),
                rendering: sent.rendering(text),
            },
            attachments: Vec::new(),
            reactions: Vec::new(),
            edits: 0,
            deleted: false,
            limit: self.capabilities.text_limit as u32,
        }
    }

    fn measure(&self, text: &str) -> u32 {
        self.capabilities.unit.measure(text) as u32
    }

    fn find(&mut self, message: Option<&MessageId>) -> Option<&mut Bubble> {
        let message = message?;
        self.preview
            .bubbles
            .iter_mut()
            .rev()
            .find(|b| b.message.as_ref() == Some(message))
    }

    fn quote(&self, id: &MessageId) -> String {
        let answered = self
            .preview
            .bubbles
            .iter()
            .find(|b| b.message.as_ref() == Some(id));
        match answered.map(|b| &b.part) {
            Some(BubblePart::Text { text, .. } | BubblePart::Voice { text, .. }) => quoted(text),
            Some(BubblePart::File { file }) => file.name.clone(),
            None => id.to_string(),
        }
    }
}

/// An operation in the words of a sentence's beginning.
fn name(kind: OpKind) -> &'static str {
    match kind {
        OpKind::SendText => "A message",
        OpKind::EditText => "An edit",
        OpKind::Delete => "A removal",
        OpKind::React => "A reaction",
        OpKind::SendFile => "A file",
        OpKind::SendVoice => "A voice note",
        OpKind::Typing => "Typing",
    }
}

/// Whether the channel shows that an answer is being written. Platforms take the sign away when a message
/// comes; the pipeline renews it, so an old one does not count.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Typing {
    since_ms: Option<u64>,
}

/// Platforms show typing for five (Telegram) to ten seconds (Discord); the pipeline renews it every six.
const TYPING_LASTS_MS: u64 = 10_000;

impl Typing {
    pub(super) fn push(&mut self, ms: u64, kind: &Kind, ended: Option<OpKind>) {
        match (kind, ended) {
            (Kind::Ended { outcome, .. }, Some(OpKind::Typing)) if outcome.code == OutcomeCode::Sent => {
                self.since_ms = Some(ms);
            }
            (Kind::Ended { .. }, Some(OpKind::SendText | OpKind::SendFile | OpKind::SendVoice))
            | (Kind::Idle | Kind::TurnEnded { .. }, _) => self.since_ms = None,
            _ => {}
        }
    }

    /// Until when it is shown, in milliseconds since the turn began, seen from this moment of it.
    pub(super) fn until_ms(self, ms: u64) -> Option<u64> {
        let until = self.since_ms? + TYPING_LASTS_MS;
        (ms < until).then_some(until)
    }
}
