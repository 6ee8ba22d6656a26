//! What the scanner has to say about an output: closed codes, spans, explanations and fixes.

use crate::{Span, closed::closed_set};

closed_set! {
    /// How bad a diagnostic is. `foldback lint` exits with 1 if there is any error.
    pub enum Severity {
        Error = "error": "Something the agent meant to do did not happen, or where its markup ends had to be guessed.",
        Warning = "warning": "What was written is clear, and a rule says what becomes of it; it is not what the grammar asks for.",
        Note = "note": "Nothing is wrong; a rule says what comes first.",
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
        MissingFile = "missing-file": "The file that a directive names does not exist.",
        UnknownDirective = "unknown-directive": "A tag in a block that no dialect knows.",
        UnknownKey = "unknown-key": "A [[key:value]] key that no dialect knows.",
        InvalidValue = "invalid-value": "A value that its attribute or key does not take.",
        DuplicateAttribute = "duplicate-attribute": "An attribute is given twice; the last wins.",
        DuplicateDirective = "duplicate-directive": "A user's message has a directive twice; the last counts.",
        TextInBlock = "text-in-block": "Text inside an <actions> block is dropped.",
        StrayClose = "stray-close": "A closing tag that closes nothing.",
        MisplacedBlock = "misplaced-block": "A block or directive after text, where only the start is allowed.",
        BareDirective = "bare-directive": "A directive outside an <actions> block.",
        MarkerNotAlone = "marker-not-alone": "A silence marker stands beside text; the text is delivered.",
        LeakGuard = "leak-guard": "Scaffolding of the model was stripped.",
        EchoedFromInput = "echoed-from-input": "The directive repeats the user's message and is not executed.",
        UnsupportedOnChannel = "unsupported-on-channel": "This channel cannot do that; it is skipped.",
        UnknownAction = "unknown-action": "There is no action of this name.",
        ActionOff = "action-off": "The action is off.",
        PayloadTooLarge = "payload-too-large": "A payload has more bytes than its action takes.",
        InvalidPayload = "invalid-payload": "A payload does not fit the schema of its action.",
        TooManyActions = "too-many-actions": "An answer asks for more actions than are carried out.",
        ActionDenied = "action-denied": "A list of the settings denies the action.",
        ActionNotPermitted = "action-not-permitted": "The sender may not have the action carried out.",
        ActionsNotRead = "actions-not-read": "JSON actions are shown as text: their dialect is off.",
        ActionConfirmed = "action-confirmed": "A person is asked before the action is carried out.",
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
            | Self::NotAllowed
            | Self::MissingFile
            | Self::UnknownAction
            | Self::ActionOff
            | Self::PayloadTooLarge
            | Self::InvalidPayload
            | Self::TooManyActions
            | Self::ActionDenied => Severity::Error,
            Self::ActionConfirmed => Severity::Note,
            _ => Severity::Warning,
        }
    }
}

impl Code {
    /// What it means, why the rule is there and what to write instead, for a person who sees it first.
    #[expect(clippy::too_many_lines, reason = "one table of sentences")]
    pub const fn explain(self) -> &'static str {
        match self {
            Self::MalformedDirective => {
                "The tag begins like a directive, but a quote is not closed, a value is missing, or something \
                 stands in it that no tag holds. In a block it is taken out; elsewhere its `<` is shown as text. \
                 Write name=\"value\" pairs and end the tag with `/>`. JSON actions that cannot be read are \
                 dropped; they are reported by this name too."
            }
            Self::UnclosedBlock => {
                "The message ended before `</actions>`. The directives at the start of the block were executed; \
                 from the first text on everything was shown. Write `</actions>` after the last directive."
            }
            Self::UnclosedDirective => {
                "The message ended in the middle of a tag, or a directive that wraps its text has no closing \
                 tag. Nothing of the tag is shown. Complete it."
            }
            Self::BlockTooLarge => {
                "A block is held back until it is closed, and no longer than 65,536 bytes. Keep blocks small: \
                 directives only, the answer after them."
            }
            Self::MissingAttribute => {
                "The directive cannot be executed without what the message names, or its value is empty. Give \
                 it a value."
            }
            Self::NotAllowed => {
                "The operator's policy does not allow this here: another chat that is not on the allow-list, a \
                 file outside the folder for outgoing files, an operation that is disabled."
            }
            Self::MissingFile => {
                "There is no file of this name in the folder for outgoing files, so nothing was sent. Write the file \
                 first, and name it by its path below that folder."
            }
            Self::UnknownDirective => {
                "In a block only directives are expected. The tag was taken out, what it wraps was read on. \
                 Perhaps it is misspelt."
            }
            Self::UnknownKey => {
                "The key is not known; because it looks like a header and stands alone on its line, it was taken \
                 out and ignored. Or a known key is written with `-`: it counts, but keys are written with \
                 underscores, as reply_to is."
            }
            Self::InvalidValue => {
                "The value is not one that this attribute or key takes. It is ignored, as if it were not there."
            }
            Self::DuplicateAttribute => "The same attribute stands twice in one tag; the last one counts.",
            Self::DuplicateDirective => {
                "The user's message sets the same thing twice, perhaps by two names of one directive, such as \
                 /think and /t. The last one counts, whole: nothing of the earlier one is kept."
            }
            Self::TextInBlock => {
                "Text inside a block is neither shown nor executed. Write the answer after `</actions>`."
            }
            Self::StrayClose => {
                "A closing tag that closes nothing was taken out, and the white space around it was joined. \
                 Remove it; what white space you leave is shown as it is."
            }
            Self::MisplacedBlock => {
                "This channel executes directives only before the first text. The block was taken out, not \
                 executed. Write it at the start."
            }
            Self::BareDirective => {
                "Directives belong in a block: `<actions>…</actions>`. Outside one they are executed all the \
                 same, unless the setting `output.bare` says otherwise: `strip` only takes them out, `text` shows \
                 them as they are written."
            }
            Self::MarkerNotAlone => {
                "The agent asked for silence and wrote text too. The text was delivered: losing an answer is \
                 worse than saying too much. Write the marker alone, or not at all; where it goes, the white \
                 space around it is no longer joined."
            }
            Self::LeakGuard => {
                "The model wrote scaffolding that is meant for itself: reasoning, tool calls, control tokens. \
                 It was taken out. The agent's template or parser probably misses it."
            }
            Self::EchoedFromInput => {
                "The user's own message contains exactly this directive. Repeating it does not make it the \
                 agent's wish, so it was not executed."
            }
            Self::UnsupportedOnChannel => "The channel cannot do this, so it was skipped; the text went out.",
            Self::UnknownAction => {
                "The name is that of no action of the bot. The action is refused, and the agent is asked to correct \
                 its answer, twice at most."
            }
            Self::ActionOff => {
                "There is such an action, and the configuration has it off. The agent is told that there is none. The \
                 setting switches it on."
            }
            Self::PayloadTooLarge => {
                "Each action says how many bytes its payload may have, 65,536 at most. The action is refused, and the \
                 agent is asked to correct its answer, twice at most."
            }
            Self::InvalidPayload => {
                "The payload is no JSON object, or a value in it is not as the JSON Schema of the action has it. The \
                 action is refused, and the agent is asked to correct its answer, twice at most."
            }
            Self::TooManyActions => {
                "The actions of one answer are carried out in order, as many as are allowed. The rest is refused; the agent \
                 may ask for it when the results have come back to it."
            }
            Self::ActionDenied => {
                "The payload fits, and a list of the operator's settings names what it asks for. The action is \
                 refused, and nobody is asked for a confirmation."
            }
            Self::ActionNotPermitted => {
                "An action is carried out at the word of the person who wrote the message: an owner of the bot, a \
                 listed sender, or anyone, as the action says. For this sender it is refused."
            }
            Self::ActionsNotRead => {
                "The text has the form of JSON actions, but `json` is not in the setting `output.dialects`, so people \
                 see it as it is written and nothing is carried out. Add `json` to the setting, or give the agent its \
                 actions as tools."
            }
            Self::ActionConfirmed => {
                "The action waits until a person has confirmed it, in the window or in the chat. It is refused where \
                 they do not, or not in time."
            }
        }
    }
}

/// One replacement that mends what a diagnostic reports, and is safe alone: users see the same text afterwards,
/// except for white space, which is joined only around what is taken out. Where no such replacement is known
/// there is no fix. Two mean more, and say so: a misspelt directive becomes the directive, and a bare one that
/// the setting `bare` shows as text is wrapped and no longer shown.
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

    /// Hands over every text in it.
    pub fn each_text(&mut self, mut each: impl FnMut(&mut String)) {
        each(&mut self.message);
        if let Some(fix) = &mut self.fix {
            each(&mut fix.text);
            each(&mut fix.title);
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

/// Puts findings in their order: by start of span, then code.
pub fn sort_findings(findings: &mut [Diagnostic]) {
    findings.sort_by(|a, b| (a.span.start, a.code.code()).cmp(&(b.span.start, b.code.code())));
}
