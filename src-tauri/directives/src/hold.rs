//! Why a byte, or a delivery, is being held back.

use crate::closed::closed_set;

closed_set! {
    /// Every reason for holding something back. The first eleven are decided by the scanner, the rest by
    /// delivery; the console shows each one with its rule.
    pub enum HoldReason {
        TrailingSpace = "trailing_space": "White space is kept back until it is known whether text follows.",
        MaybeMarker = "maybe_marker": "This could become a marker or a token such as NO_REPLY.",
        MaybeCode = "maybe_code": "An inline code span may be open; what could be a directive inside it waits.",
        PartialTag = "partial_tag": "A tag of a known name is not complete.",
        OpenBlock = "open_block": "An <actions> block is open.",
        OpenDirective = "open_directive": "A paired directive is open.",
        HeaderOpen = "header_open": "A [[key:value]] header is not complete.",
        PartialToken = "partial_token": "A control token such as <|name|> is not complete.",
        JsonOpen = "json_open": "A JSON value may turn out to be actions.",
        GuardOpen = "guard_open": "Scaffolding of the model is open and never shown.",
        RedactionWindow = "redaction_window": "What follows could make this part of a secret.",
        EditInterval = "edit_interval": "The channel was edited too recently; the next edit waits.",
        RateLimited = "rate_limited": "The platform asked to wait.",
        ChannelCannotEdit = "channel_cannot_edit": "The channel cannot edit, so the message is sent once, when it is complete.",
        ChannelOff = "channel_off": "The channel is off, muted or not connected; the delivery goes out when it is open again.",
        HumanDelay = "human_delay": "A pause between messages, as a person would make.",
        Debounce = "debounce": "More messages may follow; they are collected first.",
    }
}
