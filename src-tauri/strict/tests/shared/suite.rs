//! What every adapter of a platform keeps, whatever the platform, tried against the strict server in its place. A new
//! adapter says what is its own ([`Bench`]) and adds one line, `suite!(Place);`. What an adapter keeps with or without a
//! platform is the contract: `foldback_channels::contract`.

use super::calls::{call, file, reply, said, target, voice};
use super::run::Run;
use foldback_channels::{Ack, ChannelAdapter, Folder, LimitScope, Refusal, emoji_for};
use foldback_strict::{Mishap, StrictServer};
use foldback_wire::{Capabilities, ChannelState, FileKind, MessageFlags, Operation, RefusalCode, Target};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// What is an adapter's own: the data of the checks.
pub(crate) trait Bench: Parts {
    /// The call that sends text, as the server names it.
    const SENDS_TEXT: &'static str;
    /// The first call of a run.
    const GREETS: &'static str;
    /// Whether the platform limits that call: a service does, a program on this machine does not.
    const LIMITS_GREETINGS: bool;
    /// A wait that the platform can ask for.
    const WAIT: Duration;
    /// The calls that it asks to wait then.
    const SCOPE: LimitScope;
    /// What is said where no server listens.
    const NOBODY_LISTENS: &'static str;
    /// Ids that no message has.
    const NO_MESSAGES: &'static [&'static str];
    /// Ids that no chat has.
    const NO_CHATS: &'static [&'static str];
    /// Ids that no thread has; none where there are no threads.
    const NO_THREADS: &'static [&'static str];
    /// Paths of files that are not sent, beside those that nobody sends ([`NO_FILES`]).
    const NO_FILES: &'static [&'static str];
    /// Addresses of the platform, with what is said against each; nothing where it is fine.
    const ROOTS: &'static [(&'static str, Option<&'static str>)];

    /// A chat that the bot may write in, with nothing in it.
    fn target(&self) -> Target;
    /// How many messages it has.
    fn messages(&self) -> usize;
    /// What becomes of an adapter for a platform at this address.
    fn at(&self, root: &str) -> Result<(), Refusal>;
    /// What no refusal may hold, though the adapter knows it.
    fn secrets(&self) -> Vec<String>;
    /// What the platform refuses: the refusal, its code, and what it must say.
    async fn refusals(&self) -> Vec<(Refusal, RefusalCode, &'static str)>;
}

/// An adapter with the strict server of its platform, and a folder with the files `a.txt` and `a.ogg`. The server ends
/// when it is dropped. [`suite`] implements it, for all have their parts under the same names.
pub(crate) trait Parts: Sized {
    async fn open() -> Self;
    fn adapter(&self) -> Arc<dyn ChannelAdapter>;
    /// The folder of the files.
    fn dir(&self) -> &Path;
    /// The server.
    fn server(&self) -> &dyn StrictServer;
}

/// Paths of files that no adapter sends: a link, outside the folder, and of nothing.
const NO_FILES: [&str; 4] = ["link.txt", "../a.txt", "/etc/hosts.txt", "nothing.txt"];

pub(crate) async fn perform(bench: &impl Bench, operation: Operation) -> Result<Ack, Refusal> {
    bench.adapter().perform(call(bench.target(), operation)).await
}

/// The answer is a refusal of this kind, and sure that nothing was done.
#[track_caller]
fn refused(answer: Result<Ack, Refusal>, code: RefusalCode, what: &str) {
    let refusal = answer.expect_err(what);
    assert_eq!(
        (refusal.code, refusal.maybe_done),
        (code, false),
        "{what}: {refusal:?}"
    );
}

pub(crate) async fn mishaps_are_told_apart<B: Bench>() {
    let mut bench = B::open().await;
    for (mishap, code, retry_after, maybe_done, arrived) in [
        (
            Mishap::RateLimited(B::WAIT),
            RefusalCode::RateLimited,
            Some(B::WAIT),
            false,
            0,
        ),
        (Mishap::Failed, RefusalCode::Transient, None, true, 0),
        (Mishap::FailedAfter, RefusalCode::Transient, None, true, 1),
        (Mishap::Lost, RefusalCode::Transient, None, true, 2),
        (Mishap::Broken, RefusalCode::Transient, None, true, 2),
    ] {
        bench.server().plan(B::SENDS_TEXT, mishap);
        let refusal = perform(&bench, said("hi")).await.unwrap_err();
        assert_eq!(
            (refusal.code, refusal.retry_after, refusal.maybe_done),
            (code, retry_after, maybe_done),
            "{mishap:?}: {refusal:?}"
        );
        assert_eq!(bench.messages(), arrived, "{mishap:?}");
        if refusal.code == RefusalCode::RateLimited {
            assert_eq!(refusal.scope, B::SCOPE, "{refusal:?}");
            // An adapter may send nothing while the platform wants a pause.
            bench = B::open().await;
        }
    }
    assert!(perform(&bench, said("hi")).await.is_ok());
}

pub(crate) async fn a_run_comes_up_in_spite_of_every_mishap<B: Bench>() {
    let limited = (
        Mishap::RateLimited(Duration::from_secs(2)),
        ChannelState::RateLimited,
    );
    let mishaps = [
        (Mishap::Failed, ChannelState::Down),
        (Mishap::FailedAfter, ChannelState::Down),
        (Mishap::Lost, ChannelState::Down),
        (Mishap::Broken, ChannelState::Down),
    ];
    for (mishap, state) in mishaps.into_iter().chain(B::LIMITS_GREETINGS.then_some(limited)) {
        let bench = B::open().await;
        bench.server().plan(B::GREETS, mishap);
        let mut run = Run::of(&bench.adapter());
        run.until(state).await;
        run.until(ChannelState::Up).await;
        run.end().await;
    }
}

pub(crate) async fn every_refusal_says_what_to_do<B: Bench>() {
    let bench = B::open().await;
    let told = bench.refusals().await;
    for (refusal, code, says) in &told {
        assert_eq!((refusal.code, refusal.maybe_done), (*code, false), "{refusal:?}");
        assert!(
            refusal.detail.contains(says),
            "{} does not say {says:?}",
            refusal.detail
        );
    }
    // Who does not want to hear is told from who is gone.
    let tells = |wanted: fn(RefusalCode) -> bool| told.iter().any(|(_, code, _)| wanted(*code));
    assert!(tells(|code| code == RefusalCode::Forbidden));
    assert!(tells(RefusalCode::is_gone));
}

pub(crate) async fn a_server_that_is_not_there_has_done_nothing<B: Bench>() {
    let bench = B::open().await;
    let (adapter, target, secrets) = (bench.adapter(), bench.target(), bench.secrets());
    drop(bench);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let refusal = adapter.perform(call(target, said("hi"))).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.maybe_done, refusal.unsent),
        (RefusalCode::Transient, false, true),
        "{refusal:?}"
    );
    assert!(refusal.detail.contains(B::NOBODY_LISTENS), "{refusal}");
    for secret in secrets {
        assert!(!refusal.detail.contains(&secret), "{refusal}");
    }
}

/// Operations on a message, as far as the channel has them.
fn on_message(can: &Capabilities, id: &str) -> Vec<Operation> {
    let message = || id.into();
    let mut operations = vec![reply("x", id)];
    if let Some(emoji) = emoji_for(can, "👍") {
        operations.push(Operation::React {
            message: message(),
            emoji: "👍".into(),
            emoji_sent: emoji.form,
        });
    }
    if can.edit {
        operations.push(Operation::EditText {
            message: message(),
            text: "x".into(),
            flags: MessageFlags::default(),
        });
    }
    if can.delete {
        operations.push(Operation::Delete { message: message() });
    }
    operations
}

pub(crate) async fn ids_that_are_none_never_leave_the_machine<B: Bench>() {
    let bench = B::open().await;
    let adapter = bench.adapter();
    let can = adapter.capabilities();
    assert_eq!(B::NO_THREADS.is_empty(), !can.threads);
    for id in B::NO_MESSAGES {
        for operation in on_message(can, id) {
            let what = format!("{operation:?}");
            refused(perform(&bench, operation).await, RefusalCode::Gone, &what);
        }
    }
    let chat = bench.target().chat;
    let chats = B::NO_CHATS.iter().map(|id| target(id, None));
    let threads = B::NO_THREADS.iter().map(|id| target(&chat, Some(*id)));
    for nowhere in chats.chain(threads) {
        let what = format!("{nowhere:?}");
        let answer = adapter.perform(call(nowhere, said("x"))).await;
        refused(answer, RefusalCode::ChatGone, &what);
    }
    assert_eq!(bench.server().calls(), 0);
}

/// The refusal of a file that no adapter sends, which a platform without files has of each.
fn file_refusal(bench: &impl Bench) -> RefusalCode {
    match bench.adapter().capabilities().file_limit {
        Some(_) => RefusalCode::Rejected,
        None => RefusalCode::Unsupported,
    }
}

pub(crate) async fn a_file_that_may_not_be_sent_is_refused_here<B: Bench>() {
    let bench = B::open().await;
    std::os::unix::fs::symlink("/etc/passwd", bench.dir().join("link.txt")).unwrap();
    for path in NO_FILES.iter().chain(B::NO_FILES) {
        let answer = perform(&bench, file(path, FileKind::File, None)).await;
        refused(answer, file_refusal(&bench), path);
    }
    assert_eq!(bench.server().calls(), 0);
}

/// What sends `a.ogg` as a file and as a voice note, as it is now.
fn checked(dir: &Path) -> [Operation; 2] {
    let now = Folder::new(dir, u64::MAX).open("a.ogg").unwrap().identity;
    [file("a.ogg", FileKind::File, None), voice("a.ogg")].map(|mut operation| {
        if let Operation::SendFile { checked, .. } | Operation::SendVoice { checked, .. } = &mut operation {
            *checked = Some(now);
        }
        operation
    })
}

pub(crate) async fn no_other_file_goes_in_the_place_of_the_one_that_was_checked<B: Bench>() {
    let bench = B::open().await;
    let operations = checked(bench.dir());
    if bench.adapter().capabilities().file_limit.is_none() {
        for operation in operations {
            refused(
                perform(&bench, operation).await,
                RefusalCode::Unsupported,
                "a file",
            );
        }
        return assert_eq!(bench.server().calls(), 0);
    }
    for operation in operations.clone() {
        perform(&bench, operation).await.unwrap();
    }
    // Somebody writes over the file.
    std::fs::write(bench.dir().join("a.ogg"), "OggS of somebody else").unwrap();
    for operation in operations {
        let refusal = perform(&bench, operation).await.unwrap_err();
        assert_eq!((refusal.code, refusal.maybe_done), (RefusalCode::Rejected, false));
        assert_eq!(refusal.detail, "a.ogg was changed after it was checked");
    }
    assert_eq!(bench.messages(), 2);
    assert_eq!(bench.server().broken(), []);
}

pub(crate) async fn nothing_travels_in_the_open<B: Bench>() {
    let bench = B::open().await;
    for (root, against) in B::ROOTS {
        match (bench.at(root), against) {
            (Ok(()), None) => {}
            (Err(refusal), Some(against)) => assert!(refusal.detail.contains(against), "{root}: {refusal}"),
            (answer, _) => panic!("{root}: {answer:?}"),
        }
    }
}

/// Makes a test of every check, for one bench.
macro_rules! suite {
    ($bench:ty) => {
        impl $crate::shared::suite::Parts for $bench {
            async fn open() -> Self {
                Self::open().await
            }

            fn adapter(&self) -> std::sync::Arc<dyn foldback_channels::ChannelAdapter> {
                self.adapter.clone()
            }

            fn dir(&self) -> &std::path::Path {
                self.dir.path()
            }

            fn server(&self) -> &dyn foldback_strict::StrictServer {
                &self.server
            }
        }

        $crate::shared::suite::suite!(@tests $bench:
            mishaps_are_told_apart
            a_run_comes_up_in_spite_of_every_mishap
            every_refusal_says_what_to_do
            a_server_that_is_not_there_has_done_nothing
            ids_that_are_none_never_leave_the_machine
            a_file_that_may_not_be_sent_is_refused_here
            no_other_file_goes_in_the_place_of_the_one_that_was_checked
            nothing_travels_in_the_open
        );
    };
    (@tests $bench:ty: $($check:ident)+) => {
        $(#[tokio::test]
        async fn $check() {
            $crate::shared::suite::$check::<$bench>().await;
        })+
    };
}

pub(crate) use suite;
