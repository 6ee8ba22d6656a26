//! The adapter's part of the suite.

use crate::place::{ANA, PASSWORD, POST, Place, SECRET, TOKEN, account, made};
use crate::shared::calls::{said, target};
use crate::shared::suite::{Bench, suite};
use foldback_channels::{LimitScope, Refusal};
use foldback_strict::reddit::Closed;
use foldback_wire::{RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "comment";
    const GREETS: &'static str = "access_token";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_secs(3);
    const SCOPE: LimitScope = LimitScope::Channel;
    const NOBODY_LISTENS: &'static str = "cannot reach http://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        "1",
        "t1",
        "t1_",
        " t1_a",
        "t1_a ",
        "t1_A",
        "t1_a,t1_b",
        "t1_a&text=x",
        "t3_a",
        "t5_a",
        "t1_ä",
        "t1_aaaaaaaaaaaaaa",
        "../t1_a",
    ];
    const NO_CHATS: &'static [&'static str] = &[
        "", "t3_", "t1_a", "alice", "u/", "u/al", "u/a b c", "u/../etc", "r/rust",
    ];
    const NO_THREADS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_FILES: &'static [&'static str] = &["a.txt"];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("https://oauth.reddit.com", None),
        ("https://reddit.example.org/", None),
        ("http://127.0.0.1:8081", None),
        ("http://oauth.reddit.com", Some("in the open")),
        ("ftp://oauth.reddit.com", Some("neither https nor http")),
        ("oauth.reddit.com", Some("api_root")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(POST, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(POST).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        made(account(), root).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        [TOKEN, SECRET, PASSWORD].map(str::to_owned).to_vec()
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        let mut told = Vec::new();
        for (why, code, says) in [
            (Closed::Locked, RefusalCode::Gone, "THREAD_LOCKED"),
            (Closed::Archived, RefusalCode::ChatGone, "TOO_OLD"),
            (Closed::Deleted, RefusalCode::ChatGone, "DELETED_LINK"),
            (Closed::Banned, RefusalCode::Forbidden, "403: Forbidden"),
        ] {
            self.server.close(POST, why);
            told.push((self.send("hi").await.unwrap_err(), code, says));
        }
        let nobody = self.perform_in("u/nobody", None, said("hi")).await.unwrap_err();
        told.push((nobody, RefusalCode::ChatGone, "that user doesn't exist"));
        let ana = format!("u/{ANA}");
        self.server.close(&ana, Closed::Banned);
        let deaf = self.perform_in(&ana, None, said("hi")).await.unwrap_err();
        told.push((deaf, RefusalCode::Forbidden, "NOT_WHITELISTED_BY_USER_MESSAGE"));
        told
    }
}
