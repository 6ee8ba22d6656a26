//! Every adapter keeps the contract, and the suite notices one that does not.

use crate::remote::Site;
use crate::stage::{CHAT, Stage, inbound};
use async_trait::async_trait;
use foldback_channels::contract::{Subject, check};
use foldback_channels::{
    Ack, Call, ChannelAdapter, Connection, ConnectionEnd, Feature, Loopback, Refusal, platform, profile,
    restrict,
};
use foldback_wire::{Attachment, Capabilities, ChatId, Operation, RefusalCode, Target};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn subject(adapter: Arc<dyn ChannelAdapter>) -> Subject {
    let target = Target {
        chat: CHAT.into(),
        thread: None,
    };
    Subject::new(adapter, target, "theirs".into(), "0".into(), "any.txt")
}

fn sent(handle: String) -> Attachment {
    Attachment {
        name: "a.png".into(),
        media_type: "image/png".into(),
        size: None,
        source: Some(handle),
    }
}

/// The same where somebody has sent a file.
fn with_file(adapter: Arc<dyn ChannelAdapter>, simulated: &Loopback) -> Subject {
    let handle = simulated.platform().keep(b"hello".to_vec());
    subject(adapter).with_sent(sent(handle), *b"hello", "file-0")
}

fn loopback(capabilities: Capabilities) -> Arc<Loopback> {
    let loopback = Loopback::new(capabilities, Arc::new(Stage::new(platform::TELEGRAM).clock), None);
    loopback.inject(inbound("theirs", "hi")).unwrap();
    Arc::new(loopback)
}

#[tokio::test]
async fn every_loopback_profile_keeps_the_contract() {
    for platform in platform::ALL {
        let loopback = loopback(profile(*platform));
        check(&with_file(loopback.clone(), &loopback))
            .await
            .unwrap_or_else(|e| panic!("{platform}: {e}"));
    }
}

#[tokio::test]
async fn restricted_profiles_keep_the_contract() {
    for (feature, code) in Feature::ALL {
        let restricted = restrict(profile(platform::TELEGRAM), &[*feature]);
        check(&subject(loopback(restricted)))
            .await
            .unwrap_or_else(|e| panic!("without {code}: {e}"));
    }
}

#[tokio::test]
async fn the_remote_loopback_keeps_the_contract() {
    for platform in platform::ALL {
        let site = Site::open(*platform).await;
        site.adapter.inject(inbound("theirs", "hi")).await.unwrap();
        let handle = site.adapter.keep(b"hello").await.unwrap();
        check(&subject(site.adapter.clone()).with_sent(sent(handle), *b"hello", "file-0"))
            .await
            .unwrap_or_else(|e| panic!("{platform}: {e}"));
        site.close().await;
    }
}

/// Ways not to keep it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Defect {
    Changes,
    TakesTooMuch,
    SaysUnsupported,
    Doubts,
    Forgets,
    NoKeys,
    EndsByItself,
    Panics,
    CutsOff,
    ReadsTooMuch,
}

const DEFECTS: [Defect; 10] = [
    Defect::Changes,
    Defect::TakesTooMuch,
    Defect::SaysUnsupported,
    Defect::Doubts,
    Defect::Forgets,
    Defect::NoKeys,
    Defect::EndsByItself,
    Defect::Panics,
    Defect::CutsOff,
    Defect::ReadsTooMuch,
];

struct Defective {
    defect: Defect,
    sound: Arc<Loopback>,
    less: Capabilities,
    used: AtomicBool,
    calls: AtomicUsize,
}

#[async_trait]
impl ChannelAdapter for Defective {
    fn capabilities(&self) -> &Capabilities {
        let changed = self.defect == Defect::Changes && self.used.load(Ordering::SeqCst);
        if changed {
            &self.less
        } else {
            self.sound.capabilities()
        }
    }

    async fn connect(&self, connection: &Connection) -> ConnectionEnd {
        self.used.store(true, Ordering::SeqCst);
        match self.defect {
            Defect::EndsByItself => ConnectionEnd::Lost(Refusal::new(RefusalCode::Transient, "enough")),
            Defect::Panics => panic!("a defect, on purpose"),
            _ => self.sound.connect(connection).await,
        }
    }

    async fn fetch(&self, chat: &ChatId, file: &Attachment, limit: u64) -> Result<Vec<u8>, Refusal> {
        let most = if self.defect == Defect::ReadsTooMuch {
            u64::MAX
        } else {
            limit
        };
        let answer = self.sound.fetch(chat, file, most).await;
        match answer {
            Ok(mut bytes) if self.defect == Defect::CutsOff => {
                bytes.pop();
                Ok(bytes)
            }
            answer => answer,
        }
    }

    async fn perform(&self, mut call: Call) -> Result<Ack, Refusal> {
        match (self.defect, &mut call.operation) {
            (Defect::TakesTooMuch, Operation::SendText { text, .. }) => text.truncate(2_000),
            (Defect::NoKeys, _) => call.key = self.calls.fetch_add(1, Ordering::SeqCst).to_string(),
            _ => {}
        }
        let kind = call.operation.kind();
        let answer = self.sound.perform(call).await;
        match (self.defect, answer) {
            (Defect::SaysUnsupported, Err(e)) if e.code == RefusalCode::Gone => {
                Err(Refusal::new(RefusalCode::Unsupported, e.detail))
            }
            (Defect::Doubts, Err(e)) => Err(e.or_done()),
            (Defect::Forgets, Ok(_)) if kind == foldback_wire::OpKind::SendText => Ok(Ack::default()),
            (_, answer) => answer,
        }
    }
}

#[tokio::test]
async fn the_suite_notices_what_is_not_kept() {
    for defect in DEFECTS {
        let sound = loopback(profile(platform::DISCORD));
        let less = restrict(profile(platform::DISCORD), &[Feature::React]);
        let handle = sound.platform().keep(b"hello".to_vec());
        let adapter = Defective {
            defect,
            sound,
            less,
            used: AtomicBool::default(),
            calls: AtomicUsize::default(),
        };
        assert!(
            check(&subject(Arc::new(adapter)).with_sent(sent(handle), *b"hello", "file-0"))
                .await
                .is_err(),
            "{defect:?} was not noticed"
        );
    }
}
