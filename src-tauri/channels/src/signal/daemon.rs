//! Where the daemon is, and calls to it.

use super::link::{Fault, Link, Received};
use super::refusal;
use crate::Refusal;
use foldback_wire::{Clock, RefusalCode};
use serde_json::{Map, Value};
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpStream, UnixStream};

/// How long a call may take: signal-cli sends to a whole group before it answers.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);
/// The same for a file, which signal-cli uploads first.
pub(super) const FILE_PATIENCE: Duration = Duration::from_mins(5);

/// A daemon on this machine.
pub(super) struct Daemon {
    address: Address,
    clock: Arc<dyn Clock>,
}

enum Address {
    Tcp(String, u16),
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(host, port) if host.contains(':') => write!(f, "tcp://[{host}]:{port}"),
            Self::Tcp(host, port) => write!(f, "tcp://{host}:{port}"),
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
        }
    }
}

impl Address {
    fn parse(root: &str) -> Result<Self, String> {
        if let Some(path) = root.strip_prefix("unix://") {
            let path = PathBuf::from(path);
            return if path.is_absolute() {
                Ok(Self::Unix(path))
            } else {
                Err("a socket has an absolute path, such as unix:///run/signal-cli/socket".into())
            };
        }
        let place = root
            .strip_prefix("tcp://")
            .ok_or("it must be tcp://127.0.0.1:7583 or unix:///path")?;
        let (host, port) = place
            .trim_end_matches('/')
            .rsplit_once(':')
            .unwrap_or((place, ""));
        let Ok(port @ 1..) = port.parse() else {
            return Err("it lacks a port, such as :7583".into());
        };
        let host = host.trim_matches(['[', ']']);
        let local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if !local {
            return Err(
                "signal-cli has no password and no encryption, so it must be on this machine; \
                 to reach another one, tunnel the port with ssh -L"
                    .into(),
            );
        }
        Ok(Self::Tcp(host.to_owned(), port))
    }
}

impl Daemon {
    pub(super) fn at(root: &str, clock: Arc<dyn Clock>) -> Result<Self, Refusal> {
        let address = Address::parse(root)
            .map_err(|why| Refusal::new(RefusalCode::Rejected, format!("api_root {root:?}: {why}")))?;
        Ok(Self { address, clock })
    }

    /// Connects. What fails here has changed nothing.
    pub(super) async fn connect(&self) -> Result<Link, Refusal> {
        let connect = async {
            Ok::<_, io::Error>(match &self.address {
                Address::Tcp(host, port) => {
                    Link::new(Box::new(TcpStream::connect((host.as_str(), *port)).await?))
                }
                Address::Unix(path) => Link::new(Box::new(UnixStream::connect(path).await?)),
            })
        };
        let address = &self.address;
        match self.in_time(connect, PATIENCE).await {
            Some(Ok(link)) => Ok(link),
            Some(Err(error)) => Err(Refusal::new(
                RefusalCode::Transient,
                format!("signal-cli does not listen at {address} ({error}); start its daemon"),
            )
            .never_sent()),
            None => Err(Refusal::new(
                RefusalCode::Transient,
                format!("signal-cli at {address} takes no connection"),
            )
            .never_sent()),
        }
    }

    /// Calls a method on a connection of its own.
    pub(super) async fn call(
        &self,
        method: &str,
        params: &Map<String, Value>,
        patience: Duration,
    ) -> Result<Value, Refusal> {
        let mut link = self.connect().await?;
        let answer = self.ask(&mut link, method, params, drop, patience).await?;
        answer.map_err(|fault| refusal::of(method, &fault))
    }

    /// Calls a method. Once it is being written, nobody can know how far it came but by its answer.
    pub(super) async fn ask(
        &self,
        link: &mut Link,
        method: &str,
        params: &Map<String, Value>,
        received: impl FnMut(Received),
        patience: Duration,
    ) -> Result<Result<Value, Fault>, Refusal> {
        let transient = |why: String| Refusal::new(RefusalCode::Transient, why).or_done();
        match self.in_time(link.call(method, params, received), patience).await {
            Some(answer) => answer.map_err(|error| transient(format!("{method} was not answered: {error}"))),
            None => Err(transient(format!(
                "signal-cli did not answer {method} within {} s",
                patience.as_secs()
            ))),
        }
    }

    /// Does something, unless it takes longer.
    pub(super) async fn in_time<T>(&self, work: impl Future<Output = T>, patience: Duration) -> Option<T> {
        tokio::select! {
            biased;
            done = work => Some(done),
            () = self.clock.sleep_until(self.clock.now().plus(patience)) => None,
        }
    }
}

impl fmt::Display for Daemon {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_must_be_on_this_machine() {
        for (root, fine) in [
            ("tcp://127.0.0.1:7583", true),
            ("tcp://localhost:7583", true),
            ("tcp://[::1]:7583", true),
            ("tcp://127.8.9.10:1/", true),
            ("unix:///run/user/1000/signal-cli/socket", true),
            ("unix://run/socket", false),
            ("unix://", false),
            ("tcp://127.0.0.1", false),
            ("tcp://127.0.0.1:0", false),
            ("tcp://127.0.0.1:70000", false),
            ("tcp://192.168.1.4:7583", false),
            ("tcp://127.0.0.1.example.org:7583", false),
            ("tcp://:7583", false),
            ("http://127.0.0.1:8080", false),
            ("127.0.0.1:7583", false),
            ("", false),
        ] {
            assert_eq!(Address::parse(root).is_ok(), fine, "{root}");
        }
    }
}
