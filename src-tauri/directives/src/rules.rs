//! Every rule sentence of the grammar page, with an id that fixtures, holds and mutants name.

use crate::closed::closed_set;

closed_set! {
    /// One rule of the output grammar: `G`, the section, a dot, a word.
    pub enum Rule {
        Fence = "G2.fence": "Three or more backticks that open a line, with no further backtick on it, open fenced code; there everything is text.",
        TildeFence = "G2.tilde_fence": "Three or more tildes that open a line open fenced code.",
        FenceCloses = "G2.fence_closes": "A fence ends at a line that holds at least as many of the same after blanks and > marks, followed by blanks only.",
        InlineCode = "G2.inline_code": "A run of backticks closed by an equal run on the same line within 16,384 bytes is code; there everything is text.",
        Scope = "G2.scope": "The scope is one assistant message; its end closes whatever is open.",
        Narration = "G2.narration": "Text and directives before a tool call are not thrown away.",
        RunsAtOnce = "G2.runs_at_once": "A directive runs as soon as its block is complete, before the text that follows is delivered.",
        BrokerText = "G2.broker_text": "Text that the broker makes never passes through the scanner.",
        Invisible = "G2.invisible": "U+FEFF and U+200B before the first text are skipped.",
        TrimEdges = "G2.trim": "The clean text is trimmed at both ends.",
        WhiteSpace = "G2.white_space": "White space that touches nothing stripped is untouched; it waits until text follows.",
        JoinSpace = "G2.join_space": "White space around something stripped, with no line break in it, becomes one space.",
        JoinBreaks = "G2.join_breaks": "The lines that stripped things stood on are gone: line breaks count, less one for each further segment with a break.",
        JoinAtMostTwo = "G2.join_two": "A joined gap holds at most two line breaks, written as LF.",
        JoinIndent = "G2.join_indent": "The blanks after the last break of a gap stay: they are the indentation.",
        Tag = "G3.tag": "A tag is a name, attributes, optional white space, optional /, and >; names are case-insensitive.",
        Values = "G3.values": "Values stand in straight, backslash or paired curly quotes, or in none.",
        ValueLimit = "G3.value_limit": "A quoted value holds no blank line and at most 4,096 bytes; a tag at most 8,192.",
        References = "G3.references": "HTML references are decoded once, after backslash quotes, when ended by ;.",
        CutOff = "G3.cut_off": "A tag of a known name that the end of the message cut off is stripped.",
        Malformed = "G3.malformed": "Outside a block, the < of a malformed tag of a known name is text, and it is reported.",
        MalformedInBlock = "G3.malformed_in_block": "In a block a malformed tag is stripped up to its first >, line break or the end, and reported.",
        PartialName = "G3.partial_name": "A partial name at the end of the message is text.",
        ClosingPrefix = "G3.closing_prefix": "In an unclosed block a prefix of </actions> that ends the message is stripped.",
        Block = "G3.block": "A block goes from <actions …> to the first </actions>; nothing hides it.",
        EmptyBlock = "G3.empty_block": "<actions/> is an empty block.",
        Prose = "G3.prose": "An <actions> in mid-line that is followed by neither < nor the end is prose, and so is its closing tag.",
        Comment = "G3.comment": "Comments in a block are skipped.",
        NestedBlock = "G3.nested": "A nested <actions> is ignored.",
        UnknownTag = "G3.unknown_tag": "Unknown tags in a block are stripped and reported; what they wrap is read on.",
        TextInBlock = "G3.text_in_block": "Text and CDATA in a block are dropped and reported, once a block.",
        StrayCloseInBlock = "G3.stray_in_block": "Stray closing tags of known names in a block are stripped and reported.",
        UnclosedBlock = "G3.unclosed_block": "Of an unclosed block the children at its start are taken; the first foreign thing and the white space before it are text.",
        BlockTooLarge = "G3.block_too_large": "A block whose </actions> does not end within 65,536 bytes is unclosed.",
        PlacementStart = "G3.placement": "With `placement = start`, a block or directive after text is stripped, not executed, and reported.",
        StrayClose = "G3.stray_close": "Outside blocks </actions> and </no-reply> are stripped and reported.",
        ChildClose = "G3.child_close": "Outside blocks a child's closing tag is stripped only if its opening tag was consumed; else it is text.",
        PairedContent = "G3.paired": "voice and send-message take the text up to their closing tag; nothing in it is a directive.",
        UnclosedPaired = "G3.unclosed_paired": "A paired child that never closes is reported; in a closed block it takes the text to the end.",
        DecodeContent = "G3.decode_content": "The content of a paired child is decoded like a value and trimmed.",
        BareExecuted = "G3.bare": "A complete, valid directive outside a block is executed.",
        BareReported = "G3.bare_reported": "A directive outside a block is reported.",
        BarePairedLineStart = "G3.bare_line_start": "A bare voice or send-message counts at a line start only.",
        BarePaired = "G3.bare_paired": "A bare voice or send-message must close within 4,096 bytes.",
        BarePairedBlankLine = "G3.bare_blank_line": "No blank line stands in a bare voice or send-message.",
        BarePairedBacktick = "G3.bare_backtick": "No backtick stands in a bare voice or send-message.",
        BarePairedTag = "G3.bare_tag": "No child tag and no actions tag stands in a bare voice or send-message.",
        BareInvalid = "G3.bare_invalid": "Of an invalid bare directive the < is text, unreported.",
        Echo = "G3.echo": "A directive or header whose exact text the user wrote is stripped, not executed, and reported.",
        Required = "G3.required": "A child without what it requires is not executed, and reported.",
        LastWins = "G3.last_wins": "Of a repeated attribute the last wins.",
        DuplicateReported = "G3.duplicate": "A repeated attribute is reported.",
        TrimValues = "G3.trim_values": "Emoji, ids, paths, kind and cleanup are trimmed; an empty value counts as absent.",
        KindByExtension = "G3.kind": "The kind of a file comes from its extension when it is absent or invalid.",
        WrongKind = "G3.wrong_kind": "A wrong kind is reported and ignored.",
        WrongCleanup = "G3.wrong_cleanup": "A cleanup that is neither true nor false is reported and ignored.",
        Marker = "G4.marker": "<no-reply/> alone suppresses the reply; directives still run.",
        MarkerInBlock = "G4.marker_in_block": "<no-reply/> counts in a block too.",
        MarkerNotAlone = "G4.not_alone": "A marker or token beside text is stripped and reported; the text is delivered.",
        WholeToken = "G4.whole": "`NO_REPLY` as the whole text, with up to 16 other characters on each side, suppresses the reply.",
        FirstToken = "G4.first": "`NO_REPLY` as the first token suppresses the reply.",
        LastToken = "G4.last": "`NO_REPLY` as the last token after text is stripped.",
        TrailingSilence = "G4.trailing_silence": "With `trailing_silence = suppress`, `NO_REPLY` as the last token suppresses the reply.",
        TokenInCode = "G4.code": "A token in code is text.",
        CodeSpanToken = "G4.code_span": "`NO_REPLY` in one code span that is the whole text suppresses the reply.",
        MarkerBeatsToken = "G4.both": "When both a token and a marker make the message silent, the reason is `no_reply`.",
        CandidateHeld = "G4.held": "What may become a token is held until it is known.",
        Heartbeat = "G4.heartbeat": "In heartbeat turns `HEARTBEAT_OK` is stripped at either end; if nothing is left the reply is dropped.",
        AllClear = "G4.all_clear": "In heartbeat turns a reply that matches the operator's pattern is dropped.",
        HeaderStart = "G5.start": "Headers stand at the start, in any order with anything stripped.",
        HeaderForm = "G5.form": "A header is [[, at most 256 bytes without bracket or line break, and ]].",
        ReplyToForm = "G5.reply_to": "`reply_to` takes 1 to 64 ASCII letters, digits, dots, underscores and dashes.",
        HeaderTags = "G5.tags": "`reply_to_current` and `audio_as_voice` stand alone or with :true or :false.",
        DashedKey = "G5.dashed": "A dash for an underscore is accepted and reported.",
        UnknownKey = "G5.unknown_key": "An unknown key alone on its line is stripped, ignored and reported; else it is text.",
        BracketText = "G5.text": "Everything else in double brackets is text.",
        RepeatedKey = "G5.repeated": "Of a repeated key the last valid value wins.",
        InvalidKeyReported = "G5.invalid": "An invalid value is ignored and reported.",
        EmptyText = "G5.empty": "What is sent for an empty text depends on why it is empty.",
        JsonFirstKey = "G6.first_key": "An object at a line start is held until its first keys are known; anything but actions is text.",
        JsonActions = "G6.actions": "JSON actions are taken out and run at the end of the message.",
        JsonAlone = "G6.alone": "{\"type\":…,\"payload\":{…}} by itself is one action; with another key than interface, description, meta, safe and metadata behind them it is text, or malformed where it has the name of an action of the host.",
        JsonInert = "G6.inert": "A value whose first key is `system_message` makes the text inert.",
        JsonSilence = "G6.silence": "{\"actions\":[]} is deliberate silence.",
        JsonMalformed = "G6.malformed": "Malformed JSON actions are dropped and reported, never shown.",
        GuardLineStart = "G7.line_start": "think, thinking, thought, reasoning and final count at a line start only.",
        GuardElement = "G7.element": "Scaffolding elements are stripped with their content, unclosed to the end.",
        GuardDepth = "G7.depth": "Scaffolding elements count the depth of their own name.",
        GuardLeftAsText = "G7.left_as_text": "A closing tag of scaffolding is stripped, unless its opening was left as text.",
        ControlToken = "G7.control_token": "Control tokens <|name|> are stripped, also cut off by the end.",
        UnknownText = "G7.unknown": "Unknown tags outside blocks are text.",
        HoldNamed = "G8.named": "Every hold names its reason, its rule, its byte range and what would release it.",
        FindingOrder = "G9.order": "Findings come by span start, then code, each with its severity and explanation.",
    }
}

const _: () = assert!(Rule::ALL.len() <= 128, "the set of switched-off rules is a u128");

/// The rule table.
pub const RULES: &[Rule] = Rule::ALL;

/// The rules that the feature `mutants` can switch off, each at the place in the code that decides it.
#[doc(hidden)]
pub const MUTANTS: &[Rule] = &[
    Rule::Fence,
    Rule::TildeFence,
    Rule::FenceCloses,
    Rule::InlineCode,
    Rule::Invisible,
    Rule::TrimEdges,
    Rule::JoinBreaks,
    Rule::JoinAtMostTwo,
    Rule::JoinIndent,
    Rule::CutOff,
    Rule::Malformed,
    Rule::MalformedInBlock,
    Rule::ClosingPrefix,
    Rule::EmptyBlock,
    Rule::Prose,
    Rule::Comment,
    Rule::UnknownTag,
    Rule::TextInBlock,
    Rule::StrayCloseInBlock,
    Rule::BlockTooLarge,
    Rule::PlacementStart,
    Rule::StrayClose,
    Rule::ChildClose,
    Rule::UnclosedPaired,
    Rule::DecodeContent,
    Rule::BareExecuted,
    Rule::BareReported,
    Rule::BarePairedLineStart,
    Rule::BarePairedBlankLine,
    Rule::BarePairedBacktick,
    Rule::BarePairedTag,
    Rule::Echo,
    Rule::LastWins,
    Rule::DuplicateReported,
    Rule::TrimValues,
    Rule::KindByExtension,
    Rule::WrongKind,
    Rule::WrongCleanup,
    Rule::MarkerInBlock,
    Rule::MarkerNotAlone,
    Rule::WholeToken,
    Rule::FirstToken,
    Rule::LastToken,
    Rule::TrailingSilence,
    Rule::TokenInCode,
    Rule::CodeSpanToken,
    Rule::MarkerBeatsToken,
    Rule::Heartbeat,
    Rule::ReplyToForm,
    Rule::DashedKey,
    Rule::UnknownKey,
    Rule::RepeatedKey,
    Rule::InvalidKeyReported,
    Rule::JsonActions,
    Rule::JsonAlone,
    Rule::JsonInert,
    Rule::JsonSilence,
    Rule::JsonMalformed,
    Rule::GuardLineStart,
    Rule::GuardDepth,
    Rule::GuardLeftAsText,
    Rule::ControlToken,
];

/// The rules that are on. Without the feature `mutants` all are, and asking costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Rules {
    #[cfg(feature = "mutants")]
    off: u128,
}

impl Rules {
    /// All but these.
    #[cfg(feature = "mutants")]
    pub(crate) fn without(ids: &[String]) -> Self {
        let off = ids.iter().filter_map(|id| Rule::from_code(id));
        Self {
            off: off.fold(0, |off, rule| off | 1 << rule as u32),
        }
    }

    /// Whether a rule is on.
    #[cfg(feature = "mutants")]
    #[inline]
    pub(crate) const fn on(self, rule: Rule) -> bool {
        self.off & (1 << rule as u32) == 0
    }

    /// Whether a rule is on.
    #[cfg(not(feature = "mutants"))]
    #[inline]
    #[expect(clippy::unused_self, reason = "with the feature `mutants` it is used")]
    pub(crate) const fn on(self, _: Rule) -> bool {
        true
    }
}
