//! The people whom the stage lets in, and the setting that says so.

use super::*;
use crate::testing::inbound;
use foldback_channels::platform;
use foldback_wire::{InboundContext, SenderIds};

fn list(entries: &[&str]) -> Vec<String> {
    entries.iter().map(ToString::to_string).collect()
}

/// The answer of the stage, and the key of the setting it names.
fn ask(settings: &ChannelConfig, change: impl FnOnce(&mut Inbound)) -> Result<String, (Gate, String)> {
    ask_for(None, settings, change)
}

fn ask_for(
    approved: Option<&Actor>,
    settings: &ChannelConfig,
    change: impl FnOnce(&mut Inbound),
) -> Result<String, (Gate, String)> {
    let mut message = inbound("hi");
    change(&mut message);
    let context = AuthorizeContext {
        rules: Rules::all(),
        platform: platform::TELEGRAM,
        settings,
        approved,
        own: false,
    };
    match authorize(&context, &message) {
        Flow::Continue(why) => Ok(why),
        Flow::Stop(stop) => {
            let setting = stop.setting.unwrap_or_default();
            let key = setting.trim_start_matches("channels.telegram.").to_owned();
            Err((stop.gate, key))
        }
    }
}

fn allowing(entries: &[&str]) -> ChannelConfig {
    ChannelConfig {
        allow_from: list(entries),
        ..ChannelConfig::default()
    }
}

fn by(gate: Gate, key: &str) -> Result<String, (Gate, String)> {
    Err((gate, key.to_owned()))
}

fn in_group(message: &mut Inbound) {
    message.chat = "-100".into();
    message.chat_type = ChatType::Group;
}

#[test]
fn without_settings_nobody_gets_in() {
    let settings = ChannelConfig::default();
    assert_eq!(ask(&settings, |_| ()), by(Gate::ChannelClosed, "allow_from"));
    assert_eq!(ask(&settings, in_group), by(Gate::ChannelClosed, "allow_from"));
}

#[test]
fn a_sender_is_named_by_id_star_or_provider_and_id() {
    let entry = |entries: &[&str]| ask(&allowing(entries), |_| ());
    assert_eq!(
        entry(&["bob", "alice"]),
        Ok("matches allow_from \"alice\"".into())
    );
    assert_eq!(entry(&["*"]), Ok("matches allow_from \"*\"".into()));
    assert_eq!(
        entry(&["telegram:alice"]),
        Ok("matches allow_from \"telegram:alice\"".into())
    );
    assert_eq!(
        entry(&["Telegram:*"]),
        Ok("matches allow_from \"Telegram:*\"".into())
    );
}

#[test]
fn another_provider_another_case_or_a_name_is_not_enough() {
    for entry in ["discord:alice", "discord:*", "ALICE", "Alice", "alice "] {
        let refused = by(Gate::SenderNotAllowed, "allow_from");
        assert_eq!(ask(&allowing(&[entry]), |_| ()), refused, "{entry}");
    }
    let posing = ask(&allowing(&["discord:alice"]), |message| {
        message.sender.id = "discord:alice".into();
    });
    assert_eq!(
        posing,
        by(Gate::SenderNotAllowed, "allow_from"),
        "an id is no entry"
    );
}

#[test]
fn ids_that_a_float_would_make_the_same_stay_apart() {
    for (listed, writes) in [
        ("9007199254740993", "9007199254740992"),
        ("9223372036854775807", "9223372036854775808"),
        ("18446744073709551615", "18446744073709551616"),
    ] {
        let from = |id: &str| ask(&allowing(&[listed]), |message| message.sender.id = id.into());
        assert_eq!(from(writes), by(Gate::SenderNotAllowed, "allow_from"));
        assert_eq!(from(listed), Ok(format!("matches allow_from \"{listed}\"")));
    }
}

#[test]
fn direct_messages_follow_their_policy() {
    let with = |dm_policy| ChannelConfig {
        dm_policy,
        ..allowing(&["bob"])
    };
    assert_eq!(
        ask(&with(DmPolicy::Allowlist), |_| ()),
        by(Gate::SenderNotAllowed, "allow_from")
    );
    assert_eq!(
        ask(&with(DmPolicy::Open), |_| ()),
        Ok("by dm_policy = open".into())
    );
    assert_eq!(
        ask(&with(DmPolicy::Disabled), |m| m.sender.id = "bob".into()),
        by(Gate::DirectDisabled, "dm_policy")
    );
    let pairing = with(DmPolicy::Pairing);
    assert_eq!(
        ask(&pairing, |m| m.sender.id = "bob".into()),
        Ok("matches allow_from \"bob\"".into())
    );
    assert_eq!(ask(&pairing, |_| ()), by(Gate::Unpaired, "dm_policy"));
    assert!(ask_for(Some(&Actor::Cli), &pairing, |_| ()).is_ok());
}

#[test]
fn an_approval_counts_only_directly_and_only_while_the_policy_asks_for_it() {
    let pairing = ChannelConfig {
        dm_policy: DmPolicy::Pairing,
        ..ChannelConfig::default()
    };
    assert_eq!(
        ask_for(Some(&Actor::Cli), &pairing, in_group),
        by(Gate::ChannelClosed, "allow_from")
    );
    assert_eq!(
        ask_for(Some(&Actor::Cli), &ChannelConfig::default(), |_| ()),
        by(Gate::ChannelClosed, "allow_from")
    );
}

#[test]
fn groups_follow_their_own_policy_and_lists() {
    let open = ChannelConfig {
        group_policy: GroupPolicy::Open,
        ..ChannelConfig::default()
    };
    assert_eq!(ask(&open, in_group), Ok("by group_policy = open".into()));
    assert_eq!(ask(&open, |_| ()), by(Gate::ChannelClosed, "allow_from"));
    let disabled = ChannelConfig {
        group_policy: GroupPolicy::Disabled,
        ..allowing(&["*"])
    };
    assert_eq!(ask(&disabled, in_group), by(Gate::GroupsDisabled, "group_policy"));
    let own_list = ChannelConfig {
        group_allow_from: Some(list(&["bob"])),
        ..allowing(&["alice"])
    };
    assert_eq!(
        ask(&own_list, in_group),
        by(Gate::SenderNotAllowed, "group_allow_from")
    );
    let named = ChannelConfig {
        groups: Some(list(&["-200"])),
        ..allowing(&["*"])
    };
    assert_eq!(ask(&named, in_group), by(Gate::ChatNotAllowed, "groups"));
    assert!(
        ask(&named, |_| ()).is_ok(),
        "groups say nothing about direct messages"
    );
}

#[test]
fn other_bots_need_a_setting_and_their_place_on_the_list() {
    let bot = |message: &mut Inbound| message.sender.is_bot = true;
    assert_eq!(ask(&allowing(&["*"]), bot), by(Gate::BotNotAllowed, "allow_bots"));
    let open = ChannelConfig {
        allow_bots: true,
        ..allowing(&["bob"])
    };
    assert_eq!(ask(&open, bot), by(Gate::SenderNotAllowed, "allow_from"));
    let pairing = ChannelConfig {
        dm_policy: DmPolicy::Pairing,
        ..open
    };
    assert_eq!(
        ask(&pairing, bot),
        by(Gate::SenderNotAllowed, "allow_from"),
        "no code for bots"
    );
}

#[test]
fn a_command_is_refused_like_everything_else_and_named() {
    let context = AuthorizeContext {
        rules: Rules::all(),
        platform: platform::TELEGRAM,
        settings: &ChannelConfig::default(),
        approved: None,
        own: false,
    };
    for (text, name) in [
        ("/status", Some("/status")),
        (" /Model@bot x", Some("/Model")),
        ("/think: high", Some("/think")),
        ("/etc/passwd is a file", None),
        ("what is /status?", None),
        ("/", None),
    ] {
        let Flow::Stop(stop) = authorize(&context, &inbound(text)) else {
            panic!("{text} got through")
        };
        assert_eq!(stop.inputs.get("command").map(String::as_str), name, "{text}");
    }
}

#[test]
fn what_the_bot_wrote_itself_stops() {
    let settings = allowing(&["*"]);
    let context = AuthorizeContext {
        rules: Rules::all(),
        platform: platform::TELEGRAM,
        settings: &settings,
        approved: None,
        own: true,
    };
    let Flow::Stop(stop) = authorize(&context, &inbound("hi")) else {
        panic!("an echo got through")
    };
    assert_eq!(stop.gate, Gate::OwnMessage);
}

/// Ids that no platform gives. The same are refused in a configuration: see `config::access`.
pub(crate) const HOSTILE: &[&str] = &[
    "",
    " ",
    " 42",
    "42 ",
    "4 2",
    "42\n",
    "\t42",
    "42\0",
    "\0",
    "42\u{7f}",
    "42\u{a0}",
    "42\u{200b}",
    "\u{feff}42",
    "\u{202e}24",
    "42\u{200f}",
    "\u{2066}42\u{2069}",
    "\u{661}\u{662}",
    "\u{ff14}\u{ff12}",
    "\u{1d7f0}2",
    "\u{2074}2",
    "\u{430}lice",
    "alic\u{435}",
    "ali\u{301}ce",
    "\u{ff0a}",
    "**",
    "*42",
    "42*",
    "4*2",
    "* ",
    "042",
    "00",
    "-0",
    "+42",
    "4.2e1",
    "42.0",
    "42.",
    ".42",
    "1e3",
    "1E+3",
    "9.007199254740992e15",
    "9.2233720368547758e18",
    "1.8446744073709552e19",
    "4_2",
    "0x2A",
    "0b101010",
    "0o52",
    "NaN",
    "inf",
    "-Infinity",
];

#[test]
fn hostile_ids_are_refused_with_a_reason_even_where_everybody_may_write() {
    assert!(HOSTILE.len() >= 40);
    let open = ChannelConfig {
        dm_policy: DmPolicy::Open,
        group_policy: GroupPolicy::Open,
        ..allowing(&["*"])
    };
    for id in HOSTILE {
        let refused = by(Gate::InvalidId, "");
        assert_eq!(
            ask(&open, |message| message.sender.id = (*id).into()),
            refused,
            "{id:?}"
        );
        assert_eq!(
            ask(&open, |message| message.chat = (*id).into()),
            refused,
            "{id:?}"
        );
        let why = flaw(id).unwrap();
        assert!(
            why.is_ascii() && !why.contains('\0'),
            "nothing hidden is printed: {why:?}"
        );
    }
    let long = "4".repeat(129);
    assert_eq!(
        ask(&open, |message| message.sender.id = long.as_str().into()),
        by(Gate::InvalidId, "")
    );
}

#[test]
fn a_list_may_name_any_id_that_the_platform_gives_and_never_a_name() {
    let ids = |message: &mut Inbound| {
        let context = InboundContext {
            sender: Some(SenderIds {
                ids: vec!["d0d0-aci".into(), "1e3".into()],
                phone: Some("+4915112345678".into()),
                names: vec!["boss".into()],
            }),
            ..InboundContext::default()
        };
        message.context = context.bounded();
    };
    for entry in ["alice", "d0d0-aci", "+4915112345678", "telegram:d0d0-aci"] {
        let passed = ask(&allowing(&[entry]), ids);
        assert_eq!(passed, Ok(format!("matches allow_from \"{entry}\"")));
    }
    for entry in ["boss", "1e3", "slack:d0d0-aci"] {
        let stopped = by(Gate::SenderNotAllowed, "allow_from");
        assert_eq!(ask(&allowing(&[entry]), ids), stopped, "{entry}");
    }
}
