//! What the adapter brings to the suite.

use crate::place::{ANA, Place, TOKEN, made, number};
use crate::shared::calls::target;
use crate::shared::suite::{Bench, suite};
use foldback_channels::{LimitScope, Refusal};
use foldback_wire::{RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "messages";
    const GREETS: &'static str = "profile";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_secs(3);
    const SCOPE: LimitScope = LimitScope::Channel;
    const NOBODY_LISTENS: &'static str = "cannot reach http://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        "wamid",
        "wamid.",
        "wamid. a",
        "wamid.a\n",
        "wamid.a\"",
        "wamid.{}",
        "WAMID.abc",
        "abc",
        "../wamid.a",
        "wamid.ä",
    ];
    const NO_CHATS: &'static [&'static str] = &[
        "",
        "1",
        "++16505551234",
        "+US.123",
        "1650 5551234",
        "1650-555-1234",
        "１６５０５５５１２３４",
        "16505551234@c.us",
        "us.123",
        "US.",
        "US.12-3",
        "US.ENT.",
        "USA.123",
        "Y2Fw aV9ncm91cDox",
        "../../messages/1234",
        "16505551234\n",
    ];
    const NO_THREADS: &'static [&'static str] = &[];
    // What has no media type is refused as that, wherever it is.
    const NO_FILES: &'static [&'static str] = &[];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("https://graph.facebook.com/v26.0", None),
        ("https://proxy.example.org:8443/meta/", None),
        ("http://127.0.0.1:8081/v26.0", None),
        ("http://graph.facebook.com/v26.0", Some("in the open")),
        ("http://127.0.0.1.example.org", Some("in the open")),
        ("ftp://graph.facebook.com", Some("neither https nor http")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(ANA, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(ANA).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        made(number(), root, self.dir.path()).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned()]
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        self.server.close(ANA, true);
        let closed = self.send("hi").await.unwrap_err();
        self.server.remove(ANA);
        let gone = self.send("hi").await.unwrap_err();
        vec![
            (closed.clone(), RefusalCode::Forbidden, "131047"),
            (closed, RefusalCode::Forbidden, "ask them to write again"),
            (gone, RefusalCode::ChatGone, "the number is not on WhatsApp"),
        ]
    }
}
