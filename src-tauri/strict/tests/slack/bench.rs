//! What the adapter brings to the suite.

use crate::place::{APP_TOKEN, Place, ROOM, TOKEN, adapter, ana, socket_mode};
use crate::shared::calls::{call, file, said, target};
use crate::shared::suite::{Bench, suite};
use foldback_channels::{ChannelAdapter, LimitScope, Refusal};
use foldback_wire::{FileKind, Operation, RefusalCode, Target};
use std::time::Duration;

suite!(Place);

impl Bench for Place {
    const SENDS_TEXT: &'static str = "chat.postMessage";
    const GREETS: &'static str = "auth.test";
    const LIMITS_GREETINGS: bool = true;
    const WAIT: Duration = Duration::from_secs(3);
    const SCOPE: LimitScope = LimitScope::Route;
    const NOBODY_LISTENS: &'static str = "cannot reach http://127.0.0.1:";
    const NO_MESSAGES: &'static [&'static str] = &[
        "",
        "1",
        "1.0",
        " 1700000000.000019",
        "1700000000.000019 ",
        "1700000000.00001",
        "1700000000.0000190",
        "1e9.000000",
        "1700000000,000019",
        "１700000000.000019",
        "-1.000000",
        "1700000000.000019\n",
        "abc",
        "../1.000000",
        "17000000001.000000",
    ];
    const NO_CHATS: &'static [&'static str] = &[
        "",
        "C",
        "#general",
        "@ana",
        "U0ANA0001",
        "c0general1",
        "C0GENERAL1 ",
        "C0&x=1",
        "../C1",
        "C0GÉNÉRAL",
        "X0",
        "C1\n",
        "C１",
        "https://e.org",
    ];
    const NO_THREADS: &'static [&'static str] = Self::NO_MESSAGES;
    const NO_FILES: &'static [&'static str] = &["/etc/passwd", "", "empty.txt"];
    const ROOTS: &'static [(&'static str, Option<&'static str>)] = &[
        ("https://slack.com/api", None),
        ("https://slack-gov.com/api/", None),
        ("http://127.0.0.1:8081/api", None),
        ("http://localhost:8081", None),
        ("http://slack.com/api", Some("in the open")),
        ("http://127.0.0.1.example.org", Some("in the open")),
        ("ws://127.0.0.1", Some("neither https nor http")),
        ("slack.com/api", Some("api_root")),
        ("", Some("api_root")),
    ];

    fn target(&self) -> Target {
        target(ROOM, None)
    }

    fn messages(&self) -> usize {
        self.server.messages(ROOM).len()
    }

    fn at(&self, root: &str) -> Result<(), Refusal> {
        adapter(root, TOKEN, socket_mode(), self.dir.path()).map(drop)
    }

    fn secrets(&self) -> Vec<String> {
        vec![TOKEN.to_owned(), APP_TOKEN.to_owned()]
    }

    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        let mut told = self.refusals_of_a_room().await;
        let theirs = self.server.write(ROOM, ana("hi"));
        told.push((
            self.send(" ").await.unwrap_err(),
            RefusalCode::Rejected,
            "no_text: Slack takes no empty message",
        ));
        told.push((
            self.send(&"&".repeat(1_000)).await.unwrap_err(),
            RefusalCode::TooLong,
            "5000 scalars in Slack's markup, of at most 4000",
        ));
        let empty = file("empty.txt", FileKind::File, None);
        told.push((
            self.perform(empty).await.unwrap_err(),
            RefusalCode::Rejected,
            "empty.txt is empty",
        ));
        told.push((
            self.perform(Operation::Typing).await.unwrap_err(),
            RefusalCode::Unsupported,
            "typing",
        ));
        self.server.take_scope("reactions:write");
        let react = Operation::React {
            message: theirs.into(),
            emoji: "👍".into(),
            emoji_sent: "thumbsup".into(),
        };
        told.push((
            self.perform(react).await.unwrap_err(),
            RefusalCode::Unauthorized,
            "the app lacks reactions:write; add it",
        ));
        for (token, says) in [
            ("xoxb-wrong", "invalid_auth: copy the token again"),
            (APP_TOKEN, "not_allowed_token_type: the wrong kind of token"),
        ] {
            let impostor = adapter(&self.server.root(), token, socket_mode(), self.dir.path()).unwrap();
            let answer = impostor.perform(call(self.target(), said("hi"))).await;
            told.push((answer.unwrap_err(), RefusalCode::Unauthorized, says));
        }
        told
    }
}

impl Place {
    /// Those that say where it cannot be written to.
    async fn refusals_of_a_room(&self) -> Vec<(Refusal, RefusalCode, &'static str)> {
        let in_room = async |room: &str| self.perform_in(room, None, said("hi")).await.unwrap_err();
        let mut told = vec![(
            in_room("C0NOWHERE1").await,
            RefusalCode::ChatGone,
            "channel_not_found: there is no such channel",
        )];
        self.server.put_out(ROOM, true);
        told.push((
            in_room(ROOM).await,
            RefusalCode::Forbidden,
            "not_in_channel: the bot is not in this channel; write /invite",
        ));
        self.server.put_out(ROOM, false);
        self.server.archive(ROOM, true);
        told.push((
            in_room(ROOM).await,
            RefusalCode::ChatGone,
            "is_archived: the channel is archived; somebody must unarchive",
        ));
        self.server.archive(ROOM, false);
        told.push((
            in_room("U0ANA0001").await,
            RefusalCode::ChatGone,
            "write the id of the channel or direct message",
        ));
        told
    }
}
