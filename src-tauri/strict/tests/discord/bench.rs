//! What the adapter brings to the suite.

use crate::place::{DIRECT, Place, ROOM, TOKEN, made};
use crate::shared::calls::{said, target};
use crate::shared::suite::{Bench, suite};
use crate::shared::time::Hasty;
use foldback_channels::{LimitScope, Refusal, platform, profile};
use foldback_wire::{RefusalCode, Target};
use std::sync::Arc;
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "create_message";
    const GREETS: &'static str = "get_gateway";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_millis(3_250);
    const SCOPE: LimitScope = LimitScope::RouteInChat;
    const NOBODY_LISTENS: &'static str = "cannot reach http://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        "0",
        "007",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "+1",
        "-1",
        "0x10",
        "１",
        "1/../2",
        "../gateway",
        "1?x=2",
        "1#",
        "%31",
        "@me",
        "<@1>",
        "18446744073709551616",
        "99999999999999999999999",
        "1\n2",
        "1\0",
        "NaN",
        "null",
    ];
    const NO_CHATS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_THREADS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_FILES: &'static [&'static str] = &["/etc/passwd", "."];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("https://discord.com", None),
        ("https://discord.example/below/", None),
        ("http://127.0.0.1:4000", None),
        ("http://discord.com", Some("in the open")),
        ("ws://discord.com", Some("neither https nor http")),
        ("discord.com", Some("api_root")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(ROOM, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(ROOM).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        let can = profile(platform::DISCORD);
        made(can, root, TOKEN, self.dir.path(), Arc::new(Hasty)).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned()]
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        let nowhere = self.perform_in(99, None, said("hi")).await.unwrap_err();
        let mut told = vec![(nowhere, RefusalCode::ChatGone, "Unknown Channel (code 10003)")];
        for (code, message, says) in [
            (50_001, "Missing Access", "Missing Access (code 50001)"),
            (
                50_007,
                "Cannot send messages to this user",
                "Cannot send messages to this user (code 50007)",
            ),
            (50_013, "Missing Permissions", "Missing Permissions (code 50013)"),
        ] {
            self.server.close_channel(DIRECT, code, message);
            let refusal = self.perform_in(DIRECT, None, said("hi")).await.unwrap_err();
            assert_eq!(refusal.detail, says, "and nothing else");
            told.push((refusal, RefusalCode::Forbidden, says));
        }
        told
    }
}
