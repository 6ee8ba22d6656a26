//! What became of the bytes: fates, their reasons, suppression, and the result of a whole message.

use crate::{Diagnostic, Directive, Header, JsonAction, Span, closed::closed_set};

closed_set! {
    /// What became of a byte of the raw output.
    pub enum Fate {
        Show = "show": "Part of what the user sees.",
        Strip = "strip": "Markup that was understood and taken out.",
        Drop = "drop": "Text that nobody sees.",
    }
}

closed_set! {
    /// Why a range has its fate. A shown range without a reason is plain text.
    pub enum RangeReason {
        JoinedSpace = "joined_space": "White space around something stripped, joined.",
        Trim = "trim": "White space at an edge of the message.",
        ActionsBlock = "actions_block": "An <actions> block.",
        BareDirective = "bare_directive": "A directive outside a block.",
        Marker = "marker": "A silence marker.",
        Token = "token": "A silence or heartbeat token.",
        Header = "header": "A [[key:value]] header.",
        Guard = "guard": "Scaffolding tags of the model.",
        Reasoning = "reasoning": "Reasoning, moved to its own lane.",
        ControlToken = "control_token": "A control token of the model.",
        StrayClose = "stray_close": "A closing tag that closes nothing.",
        CutOff = "cut_off": "A tag cut off by the end of the message.",
        TextInBlock = "text_in_block": "Text inside a block.",
        Echo = "echo": "A directive repeated from the user's message.",
        Misplaced = "misplaced": "A directive where it is not allowed.",
        JsonActions = "json_actions": "JSON actions.",
        Invisible = "invisible": "A byte order mark or zero-width space before the text.",
        NoReply = "no_reply": "The reply is suppressed by <no-reply/>.",
        SilentToken = "silent_token": "The reply is suppressed by NO_REPLY.",
        HeartbeatAck = "heartbeat_ack": "The reply is a heartbeat acknowledgement.",
        Redacted = "redacted": "A secret, masked.",
    }
}

closed_set! {
    /// Why a whole reply is not delivered.
    pub enum Suppression {
        NoReply = "no_reply": "The agent wrote <no-reply/>.",
        SilentToken = "silent_token": "The agent wrote NO_REPLY.",
        HeartbeatAck = "heartbeat_ack": "The agent acknowledged a heartbeat.",
    }
}

/// A run of raw bytes with one fate.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Range {
    /// Which bytes.
    pub span: Span,
    /// What became of them.
    pub fate: Fate,
    /// Why; `None` for plain shown text.
    pub reason: Option<RangeReason>,
    /// What is shown instead of the raw bytes, where that differs (joined white space, redaction).
    #[cfg_attr(
        feature = "serde",
        serde(rename = "as", default, skip_serializing_if = "Option::is_none")
    )]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub shown_as: Option<String>,
}

/// Everything the scanner decided about one assistant message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Parsed {
    /// What the user sees; empty when suppressed.
    pub clean_text: String,
    /// Why nothing is delivered, if so.
    pub suppressed: Option<Suppression>,
    /// Directives to execute, in order.
    pub directives: Vec<Directive>,
    /// The header's valid keys and tags.
    pub header: Header,
    /// JSON actions (dialect `json`).
    pub actions: Vec<JsonAction>,
    /// Findings, by start of span, then code.
    pub diagnostics: Vec<Diagnostic>,
    /// A partition of the raw bytes.
    pub ranges: Vec<Range>,
}
