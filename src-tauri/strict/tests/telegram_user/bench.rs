//! The adapter's part of the suite.

use crate::place::{ANA, BEN, HASH, PHONE, Place, SUPERGROUP, app, key};
use crate::shared::calls::{said, target};
use crate::shared::suite::{Bench, suite};
use foldback_channels::{LimitScope, Refusal};
use foldback_strict::mtproto::Closed;
use foldback_wire::{RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "messages.sendMessage";
    const GREETS: &'static str = "help.getConfig";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_secs(7);
    const SCOPE: LimitScope = LimitScope::Route;
    const NOBODY_LISTENS: &'static str = "cannot reach tcp://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        "0",
        "-1",
        "01",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "1e3",
        "a",
        "2147483648",
        "1790000000000",
        "１",
    ];
    const NO_CHATS: &'static [&'static str] = &[
        "",
        "0",
        "-0",
        "+4711",
        "04711",
        "ana_lima",
        "@ana_lima",
        "4711 ",
        "-9999999999999",
        "99999999999999999999",
        "+4915112345678",
    ];
    const NO_THREADS: &'static [&'static str] = &[];
    const NO_FILES: &'static [&'static str] = &[];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("tcp://149.154.167.50:443", None),
        ("tcp://127.0.0.1:4000", None),
        ("tcp://[2001:67c:4e8:f002::a]:443/", None),
        ("tcp://telegram.org:443", Some("api_root")),
        ("tcp://149.154.167.50", Some("api_root")),
        ("https://149.154.167.50:443", Some("api_root")),
        ("149.154.167.50:443", Some("api_root")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(ANA, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(ANA).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        app(root).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        let hex = key().map(|byte| format!("{byte:02x}")).concat();
        vec![HASH.to_owned(), PHONE.to_owned(), hex]
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        let mut told = Vec::new();
        for (chat, why, code, says) in [
            (ANA, Closed::Blocked, RefusalCode::Forbidden, "USER_IS_BLOCKED"),
            (
                ANA,
                Closed::Deleted,
                RefusalCode::ChatGone,
                "INPUT_USER_DEACTIVATED",
            ),
            (ANA, Closed::Flood, RefusalCode::Unauthorized, "a sender of spam"),
            (
                SUPERGROUP,
                Closed::ReadOnly,
                RefusalCode::Forbidden,
                "CHAT_WRITE_FORBIDDEN",
            ),
            (
                SUPERGROUP,
                Closed::Private,
                RefusalCode::ChatGone,
                "CHANNEL_PRIVATE",
            ),
            (
                SUPERGROUP,
                Closed::Banned,
                RefusalCode::Forbidden,
                "USER_BANNED_IN_CHANNEL",
            ),
            (
                SUPERGROUP,
                Closed::Slow(9),
                RefusalCode::RateLimited,
                "wait 9 seconds",
            ),
        ] {
            self.server.close(chat, why);
            let refusal = self.perform_in(chat, said("hi")).await.unwrap_err();
            told.push((refusal, code, says));
        }
        // Nobody whom the account has met.
        let nobody = self.perform_in(99_999, said("hi")).await.unwrap_err();
        told.push((nobody, RefusalCode::ChatGone, "PEER_ID_INVALID"));
        let long = "x".repeat(4_097);
        let long = self.perform_in(BEN, said(&long)).await.unwrap_err();
        told.push((long, RefusalCode::TooLong, "MESSAGE_TOO_LONG"));
        told
    }
}
