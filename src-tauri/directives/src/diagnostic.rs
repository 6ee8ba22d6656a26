//! What the scanner has to say about an output: closed codes, spans, explanations and fixes.

use crate::{Span, closed::closed_set};

closed_set! {
    /// How bad a diagnostic is. `foldback lint` exits with 1 if there is any error.
    pub enum Severity {
        Error = "error": "Something the agent meant to do did not happen.",
        Warning = "warning": "It worked, or nothing was lost, but it is not what the grammar says.",
    }
}

closed_set! {
    /// Every diagnostic, closed.
    pub enum Code {
        MalformedDirective = "malformed-directive": "A tag of a known name cannot be read.",
        UnclosedBlock = "unclosed-block": "An <actions> block is never closed.",
        UnclosedDirective = "unclosed-directive": "A directive is cut off or never closed.",
        BlockTooLarge = "block-too-large": "No </actions> within 65,536 bytes of its <actions>.",
        MissingAttribute = "missing-attribute": "A directive lacks what it requires.",
        NotAllowed = "not-allowed": "The policy does not allow this directive here.",
        UnknownDirective = "unknown-directive": "A tag in a block that no dialect knows.",
        UnknownKey = "unknown-key": "A [[key:value]] key that no dialect knows.",
        InvalidValue = "invalid-value": "A value that its attribute or key does not take.",
        DuplicateAttribute = "duplicate-attribute": "An attribute is given twice; the last wins.",
        TextInBlock = "text-in-block": "Text inside an <actions> block is dropped.",
        StrayClose = "stray-close": "A closing tag that closes nothing.",
        MisplacedBlock = "misplaced-block": "A block or directive after text, where only the start is allowed.",
        BareDirective = "bare-directive": "A directive outside an <actions> block.",
        MarkerNotAlone = "marker-not-alone": "A silence marker stands beside text; the text is delivered.",
        LeakGuard = "leak-guard": "Scaffolding of the model was stripped.",
        EchoedFromInput = "echoed-from-input": "The directive repeats the user's message and is not executed.",
        UnsupportedOnChannel = "unsupported-on-channel": "This channel cannot do that; it is skipped.",
    }
}

impl Code {
    /// The severity of every diagnostic with this code.
    pub const fn severity(self) -> Severity {
        match self {
            Self::MalformedDirective
            | Self::UnclosedBlock
            | Self::UnclosedDirective
            | Self::BlockTooLarge
            | Self::MissingAttribute
            | Self::NotAllowed => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// One replacement that mends what a diagnostic reports.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Fix {
    /// What to replace, in bytes of the raw text.
    pub span: Span,
    /// What to put there.
    pub text: String,
    /// What the fix does, in words for a button.
    pub title: String,
}

/// One finding, with the bytes it is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Diagnostic {
    /// Which rule.
    pub code: Code,
    /// Always [`Code::severity`].
    pub severity: Severity,
    /// The bytes of the raw text it is about.
    pub span: Span,
    /// What happened here, naming the thing.
    pub message: String,
    /// How to mend it, where that is known.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// A finding without a fix.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            span,
            message: message.into(),
            fix: None,
        }
    }

    /// The same finding with a fix.
    #[must_use]
    pub fn with_fix(mut self, span: Span, text: impl Into<String>, title: impl Into<String>) -> Self {
        self.fix = Some(Fix {
            span,
            text: text.into(),
            title: title.into(),
        });
        self
    }
}
