//! A socket beside the journal, on which `foldback pairing`, `permission`, `queue`, `schedules`, `reminders`, `deliver` and `open` reach the bot that runs. It takes
//! nothing but their orders, and only from the user whose bot it is. Programs that the bot started (an agent, and whatever
//! an agent started) run as the same user and are no operators: they are refused.

use super::{
    Backend,
    peers::{PATIENCE, serve_peers},
};
use crate::{HeldOnChannel, PairingOrder, PermissionOrder, QueueOrder, WindowOrder, failure};
use foldback_pipeline::PermissionFault;
use foldback_programs::descent::descends_from_us;
use foldback_store::real_journal;
use foldback_wire::{
    Actor, PermissionKind,
    rpc::{DeliveryOrder, Failure, Pairings, PendingPermission, ReminderOrder, ScheduleOrder},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    ffi::OsString,
    fs,
    future::Future,
    io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{UnixListener, UnixStream, unix::UCred},
    time::timeout,
};

/// Longest order, in bytes: a delivery has the whole output of a command.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What came of an order, as a line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Came<A> {
    Answer(A),
    Failure(Failure),
}

/// An operator's order, as a line of JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OperatorOrder {
    Pairing(PairingOrder),
    Permission(PermissionOrder),
    Queue(QueueOrder),
    Schedules(ScheduleOrder),
    Reminders(ReminderOrder),
    Delivery(Box<DeliveryOrder>),
    Window(WindowOrder),
}

impl From<PairingOrder> for OperatorOrder {
    fn from(order: PairingOrder) -> Self {
        Self::Pairing(order)
    }
}

impl From<PermissionOrder> for OperatorOrder {
    fn from(order: PermissionOrder) -> Self {
        Self::Permission(order)
    }
}

impl From<QueueOrder> for OperatorOrder {
    fn from(order: QueueOrder) -> Self {
        Self::Queue(order)
    }
}

impl From<ScheduleOrder> for OperatorOrder {
    fn from(order: ScheduleOrder) -> Self {
        Self::Schedules(order)
    }
}

impl From<ReminderOrder> for OperatorOrder {
    fn from(order: ReminderOrder) -> Self {
        Self::Reminders(order)
    }
}

impl From<DeliveryOrder> for OperatorOrder {
    fn from(order: DeliveryOrder) -> Self {
        Self::Delivery(Box::new(order))
    }
}

impl From<WindowOrder> for OperatorOrder {
    fn from(order: WindowOrder) -> Self {
        Self::Window(order)
    }
}

/// The socket on which the bot that writes a journal hears orders: beside the journal itself, however that is named.
fn socket_of(journal: &Path) -> PathBuf {
    let mut name = OsString::from(real_journal(journal));
    name.push(".sock");
    name.into()
}

/// The socket's file, removed when the bot ends.
struct Door {
    path: PathBuf,
    listener: UnixListener,
    owner: u32,
}

impl Drop for Door {
    fn drop(&mut self) {
        // Whoever starts next removes it, too.
        let _ = fs::remove_file(&self.path);
    }
}

impl Door {
    /// The journal's lock is ours, so that a file left there is nobody's.
    fn open(path: PathBuf) -> io::Result<Self> {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let owner = fs::metadata(&path)?.uid();
        Ok(Self {
            path,
            listener,
            owner,
        })
    }

    /// The next one of our user. The file's rights were open for a moment, so the other side is asked.
    async fn next(&self) -> io::Result<(UnixStream, UCred)> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let peer = stream.peer_cred()?;
            if peer.uid() == self.owner {
                return Ok((stream, peer));
            }
        }
    }
}

impl Backend {
    /// Hears orders for as long as the host runs.
    pub(super) async fn hear(self, journal: PathBuf) {
        let door = match Door::open(socket_of(&journal)) {
            Ok(door) => door,
            Err(error) => {
                return tracing::warn!(%error, "`foldback pairing`, `permission`, `queue`, `schedules`, `reminders`, `deliver` and `open` cannot reach this bot; its window and `serve --commands` can");
            }
        };
        let serve = |(stream, peer): (UnixStream, UCred)| {
            let backend = self.clone();
            async move {
                let ours = is_ours(&peer);
                if ours {
                    tracing::warn!(
                        pid = peer.pid(),
                        "a program that an agent started gives orders; it is refused"
                    );
                }
                if let Err(error) = obey(stream, ours, |order| backend.carry_out(order)).await {
                    tracing::debug!(%error, "an order did not come through");
                }
            }
        };
        serve_peers(|| door.next(), serve).await;
    }

    async fn carry_out(&self, order: OperatorOrder) -> Result<Value, Failure> {
        let answer = match order {
            OperatorOrder::Pairing(order) => serde_json::to_value(self.order_pairing(order).await?),
            OperatorOrder::Permission(order) => serde_json::to_value(self.order_permission(order)?),
            OperatorOrder::Queue(order) => serde_json::to_value(self.order_queue(&order)?),
            OperatorOrder::Schedules(order) => serde_json::to_value(self.order_schedules(&order).await?),
            OperatorOrder::Reminders(order) => serde_json::to_value(self.order_reminders(order).await?),
            OperatorOrder::Delivery(order) => return self.order_delivery(*order).await,
            OperatorOrder::Window(order) => serde_json::to_value(self.ask_window(order)?),
        };
        answer.map_err(|error| failure::internal(&error))
    }

    fn order_permission(&self, order: PermissionOrder) -> Result<Vec<PendingPermission>, Failure> {
        let engine = &self.shared.engine;
        let find = |number: &str| {
            let mut waiting = engine.permissions().into_iter();
            waiting
                .find(|pending| pending.number == number)
                .ok_or_else(|| failure::no_permission(&PermissionFault::Gone))
        };
        match order {
            PermissionOrder::List => {}
            PermissionOrder::Show { number } => {
                let mut pending = find(&number)?;
                let whole = engine.uncover_permission(pending.turn, &pending.request.id);
                pending.request = whole.map_err(|fault| failure::no_permission(&fault))?;
                pending.masked = false;
                pending.cut = false;
                return Ok(vec![pending]);
            }
            PermissionOrder::Decide { number, answer } => {
                let PendingPermission { turn, request, .. } = find(&number)?;
                // An agent names its answers as it likes: one is chosen by what it means.
                let meant = |kind: PermissionKind| {
                    let offered = request.options.iter().find(|option| option.kind == kind);
                    offered.map(|option| option.id.as_str()).ok_or_else(|| {
                        failure::no_permission(&PermissionFault::NoOption(kind.code().to_owned()))
                    })
                };
                let option = answer.map(meant).transpose()?;
                engine
                    .decide_permission(turn, &request.id, option, Actor::Cli)
                    .map_err(|fault| failure::no_permission(&fault))?;
            }
        }
        Ok(engine.permissions())
    }

    fn order_queue(&self, order: &QueueOrder) -> Result<Vec<HeldOnChannel>, Failure> {
        match order {
            QueueOrder::Held => {}
            QueueOrder::Release { channel } => self.settle_held(channel, true, &Actor::Cli)?,
            QueueOrder::Drop { channel } => self.settle_held(channel, false, &Actor::Cli)?,
        }
        Ok(self.held())
    }

    async fn order_pairing(&self, order: PairingOrder) -> Result<Pairings, Failure> {
        match order {
            PairingOrder::List => Ok(self.list_pairings()),
            PairingOrder::Approve { code } => self.decide_pairing(&code, true, Actor::Cli).await,
            PairingOrder::Refuse { code } => self.decide_pairing(&code, false, Actor::Cli).await,
            PairingOrder::Revoke { channel, sender } => {
                self.revoke_pairing(&channel, &sender, Actor::Cli).await
            }
        }
    }
}

/// Answers one connection. Nothing is read from a program of ours (`ours`), which is no operator.
async fn obey<F>(
    mut stream: UnixStream,
    ours: bool,
    carry_out: impl FnOnce(OperatorOrder) -> F,
) -> io::Result<()>
where
    F: Future<Output = Result<Value, Failure>>,
{
    let (from, mut to) = stream.split();
    let came = if ours {
        Err(failure::no_operator())
    } else {
        let mut line = String::new();
        BufReader::new(from.take(LONGEST)).read_line(&mut line).await?;
        match serde_json::from_str(&line) {
            Ok(order) => carry_out(order).await,
            Err(error) => Err(failure::bad_arguments("operator", &error)),
        }
    };
    let came = came.map_or_else(Came::Failure, Came::Answer);
    let mut answer = serde_json::to_vec(&came)?;
    answer.push(b'\n');
    to.write_all(&answer).await
}

/// True for a process that descends from this bot, and for one that cannot be told from such: whoever orders waits for
/// the answer, so an operator's process is there to be looked at. Systems other than Linux do not say who descends from
/// whom.
fn is_ours(peer: &UCred) -> bool {
    if !cfg!(target_os = "linux") {
        return false;
    }
    peer.pid().is_none_or(|pid| descends_from_us(pid).unwrap_or(true))
}

/// Asks the bot that writes a journal; `None` when none runs.
pub(crate) async fn ask<A: DeserializeOwned>(
    journal: &Path,
    order: &OperatorOrder,
) -> Option<Result<A, Failure>> {
    let stream = UnixStream::connect(socket_of(journal)).await.ok()?;
    Some(match timeout(PATIENCE, exchange(stream, order)).await {
        Ok(Ok(Came::Answer(answer))) => Ok(answer),
        Ok(Ok(Came::Failure(failure))) => Err(failure),
        Ok(Err(_)) | Err(_) => Err(failure::not_heard()),
    })
}

async fn exchange<A: DeserializeOwned>(mut stream: UnixStream, order: &OperatorOrder) -> io::Result<Came<A>> {
    let (from, mut to) = stream.split();
    let mut line = serde_json::to_vec(order)?;
    line.push(b'\n');
    // Whoever is refused is not read, and may find the connection closed behind the answer.
    let _ = to.write_all(&line).await;
    let mut answer = String::new();
    BufReader::new(from).read_line(&mut answer).await?;
    Ok(serde_json::from_str(&answer)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_lies_beside_the_journal_and_not_beside_a_link_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("journal.sqlite");
        let link = folder.path().join("link.sqlite");
        fs::write(&real, "").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        assert_eq!(socket_of(&link), real.with_extension("sqlite.sock"));
        assert_eq!(socket_of(&real), socket_of(&link));
    }

    #[tokio::test(start_paused = true)]
    async fn a_program_of_ours_is_refused_before_it_says_anything() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let served = obey(theirs, true, |_| async { unreachable!("it gave no order") });
        let served = timeout(PATIENCE, served).await;
        assert!(matches!(served, Ok(Ok(()))), "{served:?}");
        let mut answer = String::new();
        BufReader::new(ours).read_line(&mut answer).await.unwrap();
        assert!(answer.contains("no_operator"), "{answer}");
    }

    #[tokio::test]
    async fn the_refusal_is_heard_by_whoever_finds_the_connection_closed() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        obey(theirs, true, |_| async { unreachable!("it gave no order") })
            .await
            .unwrap();
        let order = OperatorOrder::Pairing(PairingOrder::List);
        let came = exchange::<Value>(ours, &order).await.unwrap();
        assert!(matches!(came, Came::Failure(failure) if failure.code == failure::no_operator().code));
    }
}
