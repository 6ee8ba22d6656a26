//! What the adapter brings to the suite.

use crate::place::{CHAT, Place, TOKEN, made};
use crate::shared::calls::{said, target};
use crate::shared::suite::{Bench, suite};
use foldback_channels::{LimitScope, Refusal};
use foldback_wire::{RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "sendMessage";
    const GREETS: &'static str = "getMe";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_secs(3);
    const SCOPE: LimitScope = LimitScope::Unstated;
    const NOBODY_LISTENS: &'static str = "cannot reach http://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "+",
        "-",
        "0x10",
        "１",
        "9223372036854775808",
        "abc",
        "1;drop",
        "../1",
        "1\n",
    ];
    const NO_CHATS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_THREADS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_FILES: &'static [&'static str] = &["/etc/passwd", ""];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("https://api.telegram.org", None),
        ("https://bots.example.org:8443/telegram/", None),
        ("http://127.0.0.1:8081", None),
        ("http://localhost:8081", None),
        ("http://api.telegram.org", Some("in the open")),
        ("http://127.0.0.1.example.org", Some("in the open")),
        ("ftp://api.telegram.org", Some("neither https nor http")),
        ("api.telegram.org", Some("api_root")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(CHAT, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(CHAT).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        made(root, TOKEN, self.dir.path()).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned()]
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        self.server.block(CHAT, true);
        let blocked = self.send("hi").await.unwrap_err();
        self.server.block(CHAT, false);
        let nowhere = self.perform_in(1, None, said("hi")).await.unwrap_err();
        vec![
            (blocked, RefusalCode::Forbidden, "bot was blocked by the user"),
            (nowhere, RefusalCode::ChatGone, "chat not found"),
        ]
    }
}
