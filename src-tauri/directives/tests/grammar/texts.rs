//! Texts that mix fragments of all dialects with code, Unicode and noise, and settings to read them with.

use std::sync::LazyLock;

use foldback_directives::{
    Bare, Dialect, GuardKind, GuardRow, Placement, ReplyToForm, Settings, TrailingSilence,
};
use proptest::prelude::*;

use crate::common::vectors;

/// What texts are made of.
pub(crate) const FRAGMENTS: &[&str] = &[
    "<actions>",
    "</actions>",
    "<actions/>",
    "</actions >",
    "<ACTIONS a=b>",
    "<act",
    "<actions",
    "</act",
    "<react emoji=\"a\"/>",
    "<react emoji='b' message=1 />",
    "<react emoji=a>",
    "</react>",
    "<react",
    "<react emoji=",
    "<react emoji=\"",
    "<react emoji=\\\"x\\\"/>",
    "<react emoji=“x”/>",
    "<react emoji=“",
    "<react/>",
    "<send-file path=\"a.png\"/>",
    "<send-file path='a.ogg' caption=\"x > y\" kind=q cleanup/>",
    "<send-file",
    "<voice>",
    "</voice>",
    "<voice>hi</voice>",
    "<voice",
    "<send-message channel=c chat=1>",
    "</send-message>",
    "<send-message channel=c chat=1 text=x/>",
    "<no-reply/>",
    "<no-reply>",
    "</no-reply>",
    "<no-",
    "<no-reply",
    "NO_REPLY",
    "NO_REP",
    "LY",
    "**NO_REPLY**",
    "_NO_REPLY_",
    "NO_REPLY.",
    "HEARTBEAT_OK",
    "HEARTBEAT_OK.",
    "HEART",
    "[[",
    "]]",
    "[[reply_to:42]]",
    "[[reply-to:7]]",
    "[[reply_to:a/é:b]]",
    "[[ephemeral:true]]",
    "[[note:x]]",
    "[[Note]]",
    "[",
    "[[a:",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "```sh\n",
    "\n```\n",
    "> ",
    "- ",
    "1. ",
    "\n",
    "\r\n",
    "\n\n",
    "\r",
    " ",
    "  ",
    "\t",
    "\u{3000}",
    "\u{feff}",
    "\u{200b}",
    "\u{85}",
    "a",
    "b c",
    "word",
    "Ünïcödé",
    "👍",
    "é",
    "<",
    ">",
    "/",
    "=",
    "\"",
    "'",
    "\\",
    "&quot;",
    "&#0;",
    "&amp;lt;",
    "<b>",
    "</b>",
    "<div class=\"x\">",
    "<poll q=1>",
    "</poll>",
    "<1>",
    "a < b",
    "<think>",
    "</think>",
    "<think/>",
    "<thinking>",
    "<think",
    "<final>",
    "</final>",
    "<tool_call>",
    "</tool_call>",
    "<tool_calls a=“",
    "<system-reminder>",
    "<|im_end|>",
    "<|im",
    "<|",
    "|>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!",
    "{",
    "}",
    "{\"actions\":[]}",
    "{\"actions\":[{\"type\":\"bash\",\"payload\":{\"a\":\"}\"}}]}",
    "{\"actions\":",
    "{\"system_message\":1}",
    "{\"type\":\"bash\",\"payload\":{\"a\":\"}\"}}",
    "{\"type\":\"a\", \"payload\": {",
    "{\"type\":\"a\",\"payload\":{},",
    "{\"type\":\"object\"",
    "{\"type\":\"a\",\"b\":",
    "{\"type\":\"bash\",\"payload\":\"x\"}",
    "{\"type\":\"bash\",\"command\":[\"x\"]}",
    "{\"type\":",
    "\"a\",",
    "\"payload\":",
    "\"meta\":1",
    "\"safe\"",
    "\"ref\"",
    ",",
    "{\"a\":1}",
    "\"",
    ":",
    "- x",
    "[x](y)",
    "**",
    "_",
    ".",
];

/// A text of fragments of every dialect, code, Unicode and noise.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![
        20 => prop::sample::select(FRAGMENTS).prop_map(str::to_owned),
        1 => "[ -~]{0,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(fragment, 0..24).prop_map(|parts| parts.concat())
}

/// Settings of every kind.
pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let dialects = prop_oneof![
        3 => Just(Settings::default().dialects),
        3 => Just(Dialect::ALL.to_vec()),
        1 => prop::sample::subsequence(Dialect::ALL.to_vec(), 0..=5),
    ];
    let placement = prop::sample::select(Placement::ALL);
    let bare = prop::sample::select(Bare::ALL);
    let trailing = prop::sample::select(TrailingSilence::ALL);
    let all_clear = prop_oneof![3 => Just(None), 1 => Just(Some("a|word.*".to_owned()))];
    let guard = prop_oneof![
        2 => Just(Vec::new()),
        1 => prop::sample::select(GuardKind::ALL).prop_map(|kind| {
            ["b", "div"].map(|name| GuardRow { name: name.to_owned(), kind }).to_vec()
        }),
    ];
    let reply_to = (
        prop::sample::select(&["", ":/", "é"][..]),
        prop::sample::select(&[64, 1, 2][..]),
    );
    let reply_to = reply_to.prop_map(|(also, max)| ReplyToForm {
        also: also.to_owned(),
        max,
    });
    let first = (dialects, placement, bare, trailing);
    let names = prop_oneof![Just(Vec::new()), Just(["a", "bash"].map(str::to_owned).to_vec())];
    let rest = (any::<bool>(), all_clear, any::<bool>(), guard, reply_to, names);
    (first, rest).prop_map(|((dialects, placement, bare, trailing_silence), rest)| {
        let (heartbeat, all_clear, allow_echo, guard, reply_to, action_names) = rest;
        Settings {
            dialects,
            placement,
            bare,
            allow_echo,
            trailing_silence,
            heartbeat,
            all_clear,
            guard,
            reply_to,
            action_names,
            ..Settings::default()
        }
    })
}

/// The inputs of short vectors, and the settings of any.
pub(crate) static VECTORS: LazyLock<(Vec<String>, Vec<Settings>)> = LazyLock::new(|| {
    let all = || ["output.jsonl", "own.jsonl"].into_iter().flat_map(vectors);
    let short = all()
        .map(|vector| vector.input)
        .filter(|text| text.len() <= LONGEST);
    (short.collect(), all().map(|vector| vector.settings).collect())
});

/// The longest vector that is cut and joined, in bytes: the naive reading takes its time.
const LONGEST: usize = 300;

/// Parts of vectors, one after another: what one leaves open, the next must bear.
pub(crate) fn parts() -> impl Strategy<Value = String> {
    let part = (
        prop::sample::select(VECTORS.0.as_slice()),
        any::<Option<u16>>(),
        any::<Option<u16>>(),
    );
    prop::collection::vec(part, 1..4).prop_map(|parts| {
        let part = |(text, from, to): (String, Option<u16>, Option<u16>)| {
            let at = |n: u16| text.floor_char_boundary(usize::from(n) % (text.len() + 1));
            let to = to.map_or(text.len(), at);
            text[from.map_or(0, at).min(to)..to].to_owned()
        };
        parts.into_iter().map(part).collect()
    })
}
