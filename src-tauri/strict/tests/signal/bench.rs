//! What the adapter brings to the suite.

use crate::place::{ANA, BEN, GROUP, Place};
use crate::shared::calls::{said, target};
use crate::shared::suite::{Bench, suite};
use foldback_channels::{LimitScope, Refusal};
use foldback_wire::{RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "send";
    const GREETS: &'static str = "listAccounts";
    const LIMITS_GREETINGS: bool = false;
    const WAIT: Duration = Duration::from_secs(90);
    const SCOPE: LimitScope = LimitScope::Channel;
    const NOBODY_LISTENS: &'static str = "start its daemon";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "+",
        "-",
        "-1",
        "+1",
        "0",
        "0x10",
        "１",
        "9223372036854775808",
        "abc",
        "1;drop",
        "../1",
        "1\n",
        ":",
        "1:",
        ":+33123456789",
        "1:ana",
        "1:+",
        "1:group:AAAA",
        "1:--config=/tmp",
        "1:+33123456789:2",
    ];
    const NO_CHATS: &'static [&'static str] = &[
        "",
        "33123456789",
        "+",
        "+33 1",
        "+33123456789;+1",
        "ana",
        "group:",
        "group:AAAA",
        "group:../../x",
        "GROUP:AAAA",
        "u:",
        "u:x",
        "PNI:1",
        "--note-to-self",
        "\u{202e}+33123456789",
    ];
    const NO_THREADS: &'static [&'static str] = &[];
    const NO_FILES: &'static [&'static str] = &["/etc/passwd", "", "data:text/plain,x"];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("tcp://127.0.0.1:7583", None),
        // The daemon has no password.
        ("tcp://192.168.1.2:7583", Some("must be on this machine")),
    ];

    fn target(&self) -> Target {
        target(ANA, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(ANA).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        self.adapter_at(root).map(drop)
    }

    /// The daemon asks for none, and whoever is to start it is told where it should listen.
    fn secrets(&self) -> Vec<String> {
        Vec::new()
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        self.server.open_group("AAAAAAAAAAAAAAAAAAAAAA==", &[ANA, BEN]);
        let mut told = Vec::new();
        for (chat, code, says) in [
            ("+19999999999", RefusalCode::ChatGone, "is not on Signal"),
            (
                "group:BBBBBBBBBBBBBBBBBBBBBA==",
                RefusalCode::ChatGone,
                "Group not found",
            ),
            (
                "group:AAAAAAAAAAAAAAAAAAAAAA==",
                RefusalCode::Forbidden,
                "not a member",
            ),
        ] {
            let refusal = self.perform_in(chat, said("hi")).await.unwrap_err();
            told.push((refusal, code, says));
        }
        assert!(self.server.messages(GROUP).is_empty());
        told
    }
}
