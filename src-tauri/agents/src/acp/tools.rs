//! Tool calls, put together from whatever an agent says about them and whenever.

use super::{failure::without, permission};
use crate::Secret;
use agent_client_protocol::v1::schema::{
    ContentBlock, ToolCall as Announced, ToolCallContent, ToolCallId, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use foldback_wire::{CallPreview, ToolCall, ToolId, ToolStatus};
use serde::Serialize;
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};

/// Most calls of a run that are followed; what is said about more is let go.
const MOST: usize = 4096;

/// The calls of one run.
pub(super) struct Tools {
    /// Hidden in everything that is kept: a tool may print the agent's own environment.
    secrets: Vec<Secret>,
    calls: HashMap<ToolCallId, Call>,
    /// Calls that are known from permission requests alone.
    asked: HashSet<ToolCallId>,
    /// Of everything that is known of the calls.
    bytes: usize,
}

struct Call {
    now: ToolCall,
    /// What it is called when it has no name.
    title: String,
    /// What kind of thing it does.
    does: Option<ToolKind>,
    /// As it is shown before it runs.
    preview: CallPreview,
    /// Bytes of that.
    preview_bytes: usize,
    /// As it was last told.
    told: Option<ToolCall>,
}

impl Tools {
    /// No calls yet.
    pub(super) fn new(secrets: Vec<Secret>) -> Self {
        Self {
            secrets,
            calls: HashMap::new(),
            asked: HashSet::new(),
            bytes: 0,
        }
    }

    /// How many bytes are known of all calls. Nothing of them is cut here, where half a secret would be left at the
    /// cut, and the end of a command be lost: whoever reads on sees to it that there is not too much.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// A call is announced. Announced again, it changes.
    pub(super) fn announce(&mut self, call: Announced) -> Option<ToolCall> {
        let fields = ToolCallUpdateFields::new()
            .kind(call.kind)
            .status(call.status)
            .title(call.title)
            .name(call.name)
            .content(call.content)
            .locations(call.locations)
            .raw_input(call.raw_input)
            .raw_output(call.raw_output);
        self.update(&ToolCallUpdate::new(call.tool_call_id, fields))
    }

    /// Something about a call that may never have been announced. Gives the call when it is new or stands elsewhere
    /// now; arguments that grow piece by piece are told once, with the next such change.
    pub(super) fn update(&mut self, update: &ToolCallUpdate) -> Option<ToolCall> {
        if self.is_full_for(&update.tool_call_id) {
            return None;
        }
        let call = self.note(update);
        let moved = call
            .told
            .as_ref()
            .is_none_or(|told| told.status != call.now.status);
        moved.then(|| call.tell())
    }

    /// A permission is asked for a call. It changes a call that was announced; one that was not is none yet, and may
    /// never be: only its id is kept, as what is said of it after the run is too late.
    pub(super) fn requested(&mut self, update: &ToolCallUpdate) {
        let id = &update.tool_call_id;
        if self.calls.contains_key(id) {
            self.note(update);
        } else if !self.is_full_for(id) {
            self.asked.insert(id.clone());
        }
    }

    /// A call as it was announced, for a person to read: an id may come again with another call, so that nothing is decided
    /// by it. `None` where it was not announced, or runs already.
    pub(super) fn announced(&self, id: &ToolCallId) -> Option<CallPreview> {
        let call = self
            .calls
            .get(id)
            .filter(|call| call.now.status == ToolStatus::Pending)?;
        let kind = call
            .does
            .as_ref()
            .map(|kind| format!(" ({})", code(kind)))
            .unwrap_or_default();
        let mut text = format!("Announced earlier under this id: {}{kind}", call.now.name);
        for more in call.now.arguments.iter().chain(&call.preview.text) {
            text.push('\n');
            text.push_str(more);
        }
        Some(CallPreview {
            text: Some(text),
            ..call.preview.clone()
        })
    }

    /// Whether one of them runs.
    pub(super) fn any_runs(&self) -> bool {
        let open = [ToolStatus::Pending, ToolStatus::Running];
        self.calls.values().any(|call| open.contains(&call.now.status))
    }

    /// What is known and was not told yet.
    pub(super) fn untold(&mut self) -> Vec<ToolCall> {
        let untold = self
            .calls
            .values_mut()
            .filter(|call| call.told.as_ref() != Some(&call.now));
        let mut untold: Vec<ToolCall> = untold.map(Call::tell).collect();
        untold.sort_unstable_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
        untold
    }

    /// The ids of all of them, and of those that were only asked about.
    pub(super) fn ids(&self) -> impl Iterator<Item = &ToolCallId> {
        self.calls.keys().chain(&self.asked)
    }

    fn is_full_for(&self, id: &ToolCallId) -> bool {
        let known = self.calls.contains_key(id) || self.asked.contains(id);
        !known && self.calls.len() + self.asked.len() >= MOST
    }

    fn note(&mut self, update: &ToolCallUpdate) -> &mut Call {
        let id = &update.tool_call_id;
        self.asked.remove(id);
        let call = self.calls.entry(id.clone()).or_insert_with(|| Call::new(id));
        self.bytes -= call.bytes();
        call.take(&update.fields, &self.secrets);
        self.bytes += call.bytes();
        call
    }
}

/// Calls of runs that were cut short: what is still said about them is too late. The oldest of very many are let go.
#[derive(Default)]
pub(super) struct Late {
    ids: HashSet<ToolCallId>,
    order: VecDeque<ToolCallId>,
}

impl Late {
    /// More of them.
    pub(super) fn add<'a>(&mut self, ids: impl Iterator<Item = &'a ToolCallId>) {
        for id in ids {
            if self.ids.insert(id.clone()) {
                self.order.push_back(id.clone());
            }
        }
        while self.order.len() > 2 * MOST {
            self.order.pop_front().map(|oldest| self.ids.remove(&oldest));
        }
    }

    /// A call of this id begins anew.
    pub(super) fn lift(&mut self, id: &ToolCallId) {
        if self.ids.remove(id) {
            self.order.retain(|known| known != id);
        }
    }

    /// Whether a call is one of them.
    pub(super) fn contains(&self, id: &ToolCallId) -> bool {
        self.ids.contains(id)
    }
}

impl Call {
    fn new(id: &ToolCallId) -> Self {
        Self {
            now: ToolCall {
                id: ToolId::from(id.0.as_ref()),
                name: String::new(),
                status: ToolStatus::Pending,
                arguments: None,
                result: None,
            },
            title: String::new(),
            does: None,
            preview: CallPreview::default(),
            preview_bytes: 0,
            told: None,
        }
    }

    fn take(&mut self, fields: &ToolCallUpdateFields, secrets: &[Secret]) {
        let kept = |text: &str| without(secrets, text);
        if let Some(kind) = fields.kind {
            self.does = Some(kind);
        }
        if let Some(title) = fields.title.as_ref().filter(|title| !title.trim().is_empty()) {
            self.title.clone_from(title);
        }
        match &fields.name {
            Some(name) => self.now.name.clone_from(name),
            None if !self.title.is_empty() => self.now.name.clone_from(&self.title),
            None => {}
        }
        if self.now.name.is_empty() {
            self.now.name = self.does.as_ref().map_or_else(|| "tool".to_owned(), code);
        }
        self.now.name = kept(&self.now.name);
        if let Some(status) = fields.status {
            self.now.status = match status {
                ToolCallStatus::InProgress => ToolStatus::Running,
                ToolCallStatus::Completed => ToolStatus::Completed,
                ToolCallStatus::Failed => ToolStatus::Failed,
                // A state that we do not know is not the end.
                _ => ToolStatus::Pending,
            };
        }
        if self.now.status != ToolStatus::Pending {
            self.show(CallPreview::default());
        } else if fields.content.is_some() || fields.locations.is_some() {
            let shown = serde_json::json!({"content": fields.content, "locations": fields.locations});
            self.show(permission::preview(&shown));
        }
        if let Some(input) = fields.raw_input.as_ref().filter(|input| !input.is_null()) {
            self.now.arguments = Some(kept(&input.to_string()));
        }
        let said = fields
            .content
            .as_deref()
            .map(words)
            .filter(|said| !said.is_empty());
        let output = || {
            fields
                .raw_output
                .as_ref()
                .filter(|output| !output.is_null())
                .map(plain)
        };
        if let Some(result) = said.or_else(output) {
            self.now.result = Some(kept(&result));
        }
    }

    fn show(&mut self, mut preview: CallPreview) {
        self.preview_bytes = 0;
        preview.each_text(|text| self.preview_bytes += text.len());
        self.preview = preview;
    }

    /// Bytes of its words.
    fn bytes(&self) -> usize {
        let ToolCall {
            name,
            arguments,
            result,
            ..
        } = &self.now;
        let texts = arguments.iter().chain(result).map(String::len);
        name.len() + self.title.len() + self.preview_bytes + texts.sum::<usize>()
    }

    fn tell(&mut self) -> ToolCall {
        self.told = Some(self.now.clone());
        self.now.clone()
    }
}

/// What the parts of a result say.
fn words(content: &[ToolCallContent]) -> String {
    let part = |part: &ToolCallContent| match part {
        ToolCallContent::Content(content) => match &content.content {
            ContentBlock::Text(text) => text.text.clone(),
            ContentBlock::ResourceLink(link) => link.uri.clone(),
            _ => "(no text)".to_owned(),
        },
        ToolCallContent::Diff(diff) => format!("{} changed", diff.path.display()),
        _ => String::new(),
    };
    let parts: Vec<String> = content.iter().map(part).filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// Text as it is, everything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The protocol's own word for a kind.
fn code(of: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_value(of)
        .ok()
        .and_then(|value| Some(value.as_str()?.to_owned()))
        .unwrap_or_default()
}
