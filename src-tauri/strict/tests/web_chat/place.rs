//! A chat page that runs, a folder of files, and visitors.

use crate::shared::calls::{call, target};
use crate::shared::run::Run;
use crate::shared::time::Hasty;
use foldback_channels::{
    Ack, ChannelAdapter, Folder, Refusal, VisitorLimits, WebChat, WebChatPlace, platform, profile,
};
use foldback_strict::web_chat::{EventStream, PageResponse, StrictBrowser};
use foldback_wire::{ChannelId, ChannelState, ChatId, Inbound, Operation};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

pub(crate) struct Place {
    pub(crate) adapter: Arc<WebChat>,
    pub(crate) run: Run,
    pub(crate) address: String,
    /// The folder of the files that are sent.
    pub(crate) dir: TempDir,
    pub(crate) data: TempDir,
}

/// A page that only this machine reaches.
pub(crate) fn here() -> WebChatPlace {
    WebChatPlace {
        listen: "127.0.0.1:0".parse().unwrap(),
        origins: Vec::new(),
        limits: VisitorLimits::default(),
        data: "unused".into(),
        journal: Some("unused.db".into()),
    }
}

pub(crate) fn made(place: WebChatPlace, dir: &Path) -> Result<WebChat, Refusal> {
    WebChat::new(
        ChannelId::new("web_chat"),
        profile(platform::WEB_CHAT),
        place,
        Folder::new(dir, 200_000_000),
        Arc::new(Hasty),
    )
}

impl Place {
    pub(crate) async fn open() -> Self {
        Self::of(here()).await
    }

    pub(crate) async fn of(place: WebChatPlace) -> Self {
        let (dir, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (name, bytes) in [
            ("a.txt", &b"hello"[..]),
            ("a.png", b"png"),
            ("a.ogg", b"OggS"),
            ("a.html", b"<script>"),
        ] {
            std::fs::write(dir.path().join(name), bytes).unwrap();
        }
        Self::in_folders(place, dir, data).await
    }

    async fn in_folders(place: WebChatPlace, dir: TempDir, data: TempDir) -> Self {
        let place = WebChatPlace {
            data: data.path().to_owned(),
            ..place
        };
        let adapter = Arc::new(made(place, dir.path()).unwrap());
        let mut run = Run::of(&adapter);
        let why = run.until(ChannelState::Up).await;
        let address = why.rsplit_once(' ').unwrap().1.to_owned();
        Self {
            adapter,
            run,
            address,
            dir,
            data,
        }
    }

    /// The same after a restart, at another port.
    pub(crate) async fn again(self) -> Self {
        self.run.end().await;
        drop(self.adapter);
        Self::in_folders(here(), self.dir, self.data).await
    }

    /// A visitor without a session yet.
    pub(crate) fn browser(&self) -> StrictBrowser {
        StrictBrowser::visit(&self.address).unwrap()
    }

    /// A visitor with a session and an open stream, whose first message came in.
    pub(crate) async fn visitor(&mut self) -> Visitor {
        let browser = self.browser();
        assert_eq!(browser.begin().await.unwrap().status, 200);
        let events = watch(&browser, None).await;
        let mut visitor = Visitor {
            browser,
            events,
            chat: ChatId::new(""),
        };
        assert_eq!(visitor.next().await.data["messages"], serde_json::json!([]));
        let (_, first) = self.say(&visitor.browser, "first", "hi").await;
        visitor.next().await;
        visitor.chat = first.chat;
        visitor
    }

    /// A visitor says something, which is kept.
    pub(crate) async fn say(
        &mut self,
        browser: &StrictBrowser,
        key: &str,
        text: &str,
    ) -> (PageResponse, Inbound) {
        let (answer, message) = tokio::join!(browser.say(key, text), self.run.message());
        let answer = answer.unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
        (answer, message)
    }

    pub(crate) async fn perform(&self, chat: &ChatId, operation: Operation) -> Result<Ack, Refusal> {
        self.adapter.perform(call(target(chat, None), operation)).await
    }
}

pub(crate) struct Visitor {
    pub(crate) browser: StrictBrowser,
    pub(crate) events: EventStream,
    pub(crate) chat: ChatId,
}

impl Visitor {
    pub(crate) async fn next(&mut self) -> foldback_strict::web_chat::Event {
        self.events.next().await.expect("the stream goes on")
    }
}

/// Opens a stream.
pub(crate) async fn watch(browser: &StrictBrowser, last: Option<&str>) -> EventStream {
    match browser.events(last).await.unwrap() {
        Ok(events) => events,
        Err(answer) => panic!("{} {}", answer.status, answer.text()),
    }
}
