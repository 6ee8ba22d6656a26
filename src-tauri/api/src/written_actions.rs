//! JSON actions in an output that a person writes: findings about them, and their outcome on each channel. The scanner
//! reads them and the table of the bot checks them, as those of an agent; nothing is carried out.

use foldback_actions::{ActionAsker, ActionTable, KnownAction, nearest_name, written_command};
use foldback_directives::{
    Code, Diagnostic, Fate, JsonAction, Parsed, RangeReason, Span, action_key, action_part,
};
use foldback_wire::{
    ActionRefusal, ActionRefusalCode, ChannelId, DELIVERY_DEPTH, PayloadFinding, TurnKind,
    rpc::{ActionPreview, ActionPreviewOutcome, ChannelActions},
};
use serde_json::Value;

/// Nothing but the text counts: the sender may have everything carried out.
const OF_TEXT: ActionAsker = ActionAsker {
    is_owner: true,
    is_listed: true,
    turn: TurnKind::Message,
    root: TurnKind::Message,
    depth: 0,
    most_depth: DELIVERY_DEPTH,
};

/// Whoever writes in Compose, on one channel.
#[derive(Debug, Clone)]
pub(crate) struct ChannelSender {
    pub(crate) channel: ChannelId,
    pub(crate) sender: String,
    pub(crate) asker: ActionAsker,
    /// The refusal of what else would be carried out, where it is a dry run.
    pub(crate) dry_run: Option<ActionRefusal>,
}

/// The actions of an output, with all that says what becomes of them.
pub(crate) struct WrittenActions<'a> {
    /// The output.
    pub(crate) raw: &'a str,
    /// The scanner's reading of it.
    pub(crate) parsed: &'a Parsed,
    /// The actions that are on.
    pub(crate) table: &'a ActionTable,
    /// The actions that can be.
    pub(crate) known: &'a [KnownAction],
    pub(crate) senders: &'a [ChannelSender],
}

impl WrittenActions<'_> {
    /// The findings about them, in their order.
    pub(crate) fn findings(&self) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (index, action) in self.numbered() {
            match self.table.read(index, action, OF_TEXT) {
                Err(refusal) => found.extend(self.refused(action, &refusal)),
                Ok(checked) => {
                    let refusals = self.refused_senders(index, action);
                    let is_permitted = self.senders.len() > refusals.len();
                    found.extend(self.not_permitted(action, refusals));
                    if let Some(why) = checked.confirmation.filter(|_| is_permitted) {
                        let message = format!("`{}` waits for a confirmation: {why}", action.kind);
                        found.push(self.about(Code::ActionConfirmed, action, "/type", message));
                    }
                }
            }
        }
        found
    }

    /// The outcome of each on each channel; empty where there is none.
    pub(crate) fn outcomes(&self) -> Vec<ChannelActions> {
        if self.unreadable().is_none() && self.parsed.actions.is_empty() {
            return Vec::new();
        }
        let of_channel = |sender: &ChannelSender| {
            let unreadable = self.unreadable().map(|span| ActionPreview {
                name: String::new(),
                command: None,
                span,
                outcome: ActionPreviewOutcome::Refused,
                refusal: Some(ActionRefusalCode::Unreadable),
                why: ActionRefusalCode::Unreadable.about().to_owned(),
                setting: None,
            });
            let read = self
                .numbered()
                .map(|(index, action)| self.outcome(index, action, sender));
            ChannelActions {
                channel: sender.channel.clone(),
                sender: sender.sender.clone(),
                actions: unreadable.into_iter().chain(read).collect(),
            }
        };
        self.senders.iter().map(of_channel).collect()
    }

    fn outcome(&self, index: u32, action: &JsonAction, sender: &ChannelSender) -> ActionPreview {
        let read = self.table.read(index, action, sender.asker);
        let read = match &sender.dry_run {
            Some(dry_run) => read.and_then(|_| Err(dry_run.clone())),
            None => read,
        };
        let preview = ActionPreview {
            name: action.kind.clone(),
            command: None,
            span: action.span,
            outcome: ActionPreviewOutcome::Refused,
            refusal: None,
            why: String::new(),
            setting: None,
        };
        let refusal = match read {
            Ok(checked) => {
                let outcome = match checked.confirmation {
                    Some(_) => ActionPreviewOutcome::AskedFirst,
                    None => ActionPreviewOutcome::CarriedOut,
                };
                return ActionPreview {
                    command: checked.performed.command,
                    outcome,
                    why: checked.confirmation.unwrap_or_default(),
                    ..preview
                };
            }
            Err(refusal) => refusal,
        };
        let preview = ActionPreview {
            command: written_command(&action.payload).filter(|_| !refusal.code.is_of_payload()),
            ..preview
        };
        match self.off(&refusal) {
            Some(setting) => ActionPreview {
                why: "the action is off".to_owned(),
                setting: Some(setting.to_owned()),
                ..preview
            },
            None => ActionPreview {
                refusal: Some(refusal.code),
                why: refusal.detail,
                setting: refusal.setting,
                ..preview
            },
        }
    }

    /// The actions with their places in the answer. JSON that cannot be read stands before all of them, as one.
    fn numbered(&self) -> impl Iterator<Item = (u32, &JsonAction)> {
        (u32::from(self.unreadable().is_some())..).zip(&self.parsed.actions)
    }

    /// The bytes of the first JSON that holds actions and cannot be read.
    fn unreadable(&self) -> Option<Span> {
        let mut ranges = self.parsed.ranges.iter();
        let dropped =
            ranges.find(|range| (range.fate, range.reason) == (Fate::Drop, Some(RangeReason::JsonActions)));
        dropped.map(|range| range.span)
    }

    /// The setting that switches the action of a refusal on, where it is off.
    fn off(&self, refusal: &ActionRefusal) -> Option<&'static str> {
        let is_unknown = refusal.code == ActionRefusalCode::UnknownAction;
        let mut known = self.known.iter().filter(|_| is_unknown);
        known
            .find(|known| known.row.name == refusal.name)
            .map(|known| known.setting)
    }

    fn refused_senders(&self, index: u32, action: &JsonAction) -> Vec<(&ChannelSender, ActionRefusal)> {
        let mut refusals = Vec::new();
        for sender in self.senders {
            if let Err(refusal) = self.table.read(index, action, sender.asker) {
                refusals.push((sender, refusal));
            }
        }
        refusals
    }

    /// The finding about channels whose sender may not have the action carried out.
    fn not_permitted(
        &self,
        action: &JsonAction,
        refusals: Vec<(&ChannelSender, ActionRefusal)>,
    ) -> Option<Diagnostic> {
        let names: Vec<_> = refusals
            .iter()
            .map(|(sender, _)| sender.channel.as_str())
            .collect();
        let on = if names.len() == self.senders.len() {
            String::new()
        } else {
            format!(" on {}", names.join(", "))
        };
        let (_, refusal) = refusals.into_iter().next()?;
        let message = format!(
            "`{}` is refused{on}: {}{}",
            action.kind,
            refusal.detail,
            setting(&refusal)
        );
        Some(self.about(Code::ActionNotPermitted, action, "/type", message))
    }

    /// The findings about an action that is refused for its text.
    fn refused(&self, action: &JsonAction, refusal: &ActionRefusal) -> Vec<Diagnostic> {
        let name = &refusal.name;
        if let Some(setting) = self.off(refusal) {
            let message = format!("`{name}` is off. Setting: `{setting}`");
            return vec![self.about(Code::ActionOff, action, "/type", message)];
        }
        let (code, pointer) = match refusal.code {
            ActionRefusalCode::PayloadInvalid => {
                let findings = refusal.findings.iter();
                return findings.map(|finding| self.unfit(action, finding)).collect();
            }
            ActionRefusalCode::UnknownAction => (Code::UnknownAction, "/type"),
            ActionRefusalCode::PayloadTooLarge => (Code::PayloadTooLarge, "/payload"),
            ActionRefusalCode::TooMany => (Code::TooManyActions, ""),
            ActionRefusalCode::Denied => (Code::ActionDenied, "/payload"),
            ActionRefusalCode::PayloadMalformed => (Code::InvalidPayload, "/payload"),
            // The others come of the sender, the turn or a person, and not of the text.
            _ => (Code::ActionNotPermitted, "/type"),
        };
        let message = format!("`{name}`: {}{}", refusal.detail, setting(refusal));
        let found = self.about(code, action, pointer, message);
        match self.table.nearest(name).filter(|_| code == Code::UnknownAction) {
            Some(nearest) => {
                let span = found.span;
                vec![found.with_fix(span, Value::from(nearest).to_string(), format!("Write {nearest}"))]
            }
            None => vec![found],
        }
    }

    /// The finding about a place of a payload that does not fit.
    fn unfit(&self, action: &JsonAction, finding: &PayloadFinding) -> Diagnostic {
        let message = format!("`{}`: the payload does not fit: {}", action.kind, finding.change);
        let pointer = format!("/payload{}", finding.at);
        let found = self.about(Code::InvalidPayload, action, &pointer, message);
        let Some((key, span)) = self.unexpected(action, finding) else {
            return found;
        };
        let found = Diagnostic { span, ..found };
        match self.meant(action, &key) {
            Some(meant) => found.with_fix(span, Value::from(meant).to_string(), format!("Write {meant}")),
            None => found,
        }
    }

    /// The one key that a finding has removed from the payload, and its bytes.
    fn unexpected(&self, action: &JsonAction, finding: &PayloadFinding) -> Option<(String, Span)> {
        let payload: Value = serde_json::from_str(&action.payload).ok()?;
        let mut keys = payload.as_object()?.keys();
        let key = keys.find(|key| finding.at.is_empty() && finding.change == removal(key))?;
        let pointer = format!("/payload/{}", key.replace('~', "~0").replace('/', "~1"));
        Some((key.clone(), action_key(self.raw, action, &pointer)?))
    }

    /// The key of the action's payload that is most like one that it does not have, and not written beside it.
    fn meant(&self, action: &JsonAction, key: &str) -> Option<&str> {
        let schema = &self.table.row(&action.kind)?.payload;
        let known = schema.get("properties")?.as_object()?.keys();
        let written = |key: &str| action_key(self.raw, action, &format!("/payload/{key}")).is_some();
        nearest_name(key, known.map(String::as_str).filter(|known| !written(known)))
    }

    fn about(&self, code: Code, action: &JsonAction, pointer: &str, message: String) -> Diagnostic {
        Diagnostic::new(code, action_part(self.raw, action, pointer), message)
    }
}

/// The change that removes one key, as the schema's findings say it.
fn removal(key: &str) -> String {
    format!("remove `{key}` from the payload")
}

fn setting(refusal: &ActionRefusal) -> String {
    let setting = refusal.setting.as_ref();
    setting
        .map(|setting| format!(". Setting: `{setting}`"))
        .unwrap_or_default()
}
