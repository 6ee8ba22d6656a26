//! One connection: lines in, lines out.

use super::request::Request;
use super::server::{Inner, Refused, State};
use crate::Mishap;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// What a connection is made of.
pub(super) trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// Somebody who is told what is received.
#[derive(Debug)]
pub(super) struct Listener {
    pub(super) lines: mpsc::UnboundedSender<Vec<u8>>,
    /// The account of each subscription; `None` for all of them.
    pub(super) subscriptions: BTreeMap<i64, Option<String>>,
}

/// Serves a connection until either end closes it.
pub(super) async fn serve(inner: Arc<Inner>, wire: Box<dyn Wire>, closed: CancellationToken) {
    let (read, mut write) = tokio::io::split(wire);
    let (lines, mut out) = mpsc::unbounded_channel::<Vec<u8>>();
    let number = inner.state().open(&lines);
    let mut calls = JoinSet::new();
    let reading = async {
        let mut read = BufReader::new(read);
        let mut line = Vec::new();
        while read.read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
            if line.last() != Some(&b'\n') {
                break;
            }
            let (inner, lines, closed) = (Arc::clone(&inner), lines.clone(), closed.clone());
            let line = std::mem::take(&mut line);
            calls.spawn(async move { answer(&inner, number, &line, &lines, &closed).await });
        }
    };
    let writing = async {
        loop {
            let line = tokio::select! {
                biased;
                Some(line) = out.recv() => line,
                () = closed.cancelled() => break,
            };
            if write.write_all(&line).await.is_err() {
                return;
            }
        }
        // What somebody was told before the connection breaks has been sent: it arrives.
        inner.state().close(number);
        while let Ok(line) = out.try_recv()
            && write.write_all(&line).await.is_ok()
        {}
        // The other end may close already.
        let _ = write.shutdown().await;
    };
    tokio::select! {
        biased;
        () = writing => {}
        () = reading => {}
    }
    inner.state().close(number);
}

/// Answers one line.
async fn answer(
    inner: &Inner,
    connection: u64,
    line: &[u8],
    lines: &mpsc::UnboundedSender<Vec<u8>>,
    closed: &CancellationToken,
) {
    let mut request = match Request::read(line) {
        Ok(request) => request,
        Err(unreadable) => {
            inner.state().broken.note(unreadable.rule);
            match unreadable.answer {
                Some((id, refused)) => tell(lines, &reply(&id, Err(refused))),
                None => closed.cancel(),
            }
            return;
        }
    };
    let mishap = {
        let mut state = inner.state();
        state.calls += 1;
        state.faults.next(&request.method)
    };
    let done = match mishap {
        Some(Mishap::Broken) => return closed.cancel(),
        Some(Mishap::Failed) => Err(Refused::plain(
            -3,
            "Failed to send message: timeout (IOException)",
        )),
        Some(Mishap::RateLimited(wait)) => Err(Refused::rate_limited(wait)),
        _ => inner
            .state()
            .call(connection, &request.method, &mut request.params),
    };
    if let Err(Refused { rule: Some(rule), .. }) = &done {
        inner.state().broken.note(*rule);
    }
    let done = match mishap {
        Some(Mishap::Lost) => return closed.cancel(),
        Some(Mishap::FailedAfter) => Err(Refused::plain(-32_603, "Command execution failed")),
        Some(Mishap::Late(late)) => {
            tokio::time::sleep(late).await;
            done
        }
        _ => done,
    };
    tell(lines, &reply(&request.id, done));
}

fn reply(id: &Value, done: Result<Value, Refused>) -> Value {
    match done {
        Ok(result) => json!({"jsonrpc": "2.0", "result": result, "id": id}),
        Err(refused) => json!({"jsonrpc": "2.0", "error": refused.fault, "id": id}),
    }
}

fn tell(lines: &mpsc::UnboundedSender<Vec<u8>>, words: &Value) {
    // A closed connection is told nothing.
    let _ = lines.send(format!("{words}\n").into_bytes());
}

impl State {
    fn open(&mut self, lines: &mpsc::UnboundedSender<Vec<u8>>) -> u64 {
        self.connections += 1;
        let listener = Listener {
            lines: lines.clone(),
            subscriptions: BTreeMap::new(),
        };
        self.listeners.insert(self.connections, listener);
        self.hand_out();
        self.connections
    }

    fn close(&mut self, connection: u64) {
        self.listeners.remove(&connection);
    }

    pub(super) fn subscribe(&mut self, connection: u64, account: Option<String>) -> Value {
        let id = self.subscriptions;
        self.subscriptions += 1;
        if let Some(listener) = self.listeners.get_mut(&connection) {
            listener.subscriptions.insert(id, account);
        }
        // What waited comes after the answer, or before it.
        self.hand_out();
        id.into()
    }

    pub(super) fn unsubscribe(&mut self, connection: u64, subscription: Option<i64>) -> bool {
        let listener = self.listeners.get_mut(&connection);
        let removed = listener
            .zip(subscription)
            .and_then(|(listener, id)| listener.subscriptions.remove(&id));
        removed.is_some()
    }

    /// Hands out what was received, if somebody listens: to everybody who does, and then it is gone.
    pub(super) fn hand_out(&mut self) {
        let automatic = self.start.automatic;
        while self.is_heard() {
            let Some(received) = self.waiting.pop_front() else {
                return;
            };
            for listener in self.listeners.values() {
                if automatic {
                    let params = received.clone();
                    tell(
                        &listener.lines,
                        &json!({"jsonrpc": "2.0", "method": "receive", "params": params}),
                    );
                }
                for (id, account) in &listener.subscriptions {
                    if account
                        .as_ref()
                        .is_none_or(|account| received["account"] == account.as_str())
                    {
                        let params = json!({"subscription": id, "result": received});
                        tell(
                            &listener.lines,
                            &json!({"jsonrpc": "2.0", "method": "receive", "params": params}),
                        );
                    }
                }
            }
        }
    }

    fn is_heard(&self) -> bool {
        let mut listeners = self.listeners.values();
        listeners.any(|listener| self.start.automatic || !listener.subscriptions.is_empty())
    }
}
