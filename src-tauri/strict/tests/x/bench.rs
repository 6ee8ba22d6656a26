//! The adapter's part of the suite.

use crate::place::{Place, TOKEN, app, made};
use crate::shared::calls::{call, said, target};
use crate::shared::suite::{Bench, suite};
use foldback_channels::{ChannelAdapter, LimitScope, Refusal};
use foldback_strict::x::Closed;
use foldback_wire::{RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "tweets";
    // Not the token: where the answer to that is lost, the next one is, too.
    const GREETS: &'static str = "me";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_secs(3);
    const SCOPE: LimitScope = LimitScope::Route;
    const NOBODY_LISTENS: &'static str = "cannot reach http://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        " 1",
        "1 ",
        "1.0",
        "-1",
        "1e3",
        "0x10",
        "１",
        "12345678901234567890",
        "abc",
        "1/likes",
        "../1",
    ];
    const NO_CHATS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_THREADS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_FILES: &'static [&'static str] = &["a.txt"];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("https://api.x.com", None),
        ("https://x.example.org/", None),
        ("http://127.0.0.1:8081", None),
        ("http://api.x.com", Some("in the open")),
        ("ftp://api.x.com", Some("neither https nor http")),
        ("api.x.com", Some("api_root")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(self.post, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(self.post).len() - 1
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        made(app(), root, self.dir.path()).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned()]
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        let mut told = Vec::new();
        for (why, code, says) in [
            (Closed::Gone, RefusalCode::Gone, "deleted or not visible"),
            (
                Closed::Restricted,
                RefusalCode::Forbidden,
                "have not been mentioned",
            ),
        ] {
            self.server.close(self.post, why);
            told.push((self.send("hi").await.unwrap_err(), code, says));
        }
        let nowhere = self.adapter.perform(call(target(1, None), said("hi"))).await;
        told.push((nowhere.unwrap_err(), RefusalCode::Gone, "deleted or not visible"));
        told
    }
}
