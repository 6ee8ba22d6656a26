//! Receiving: <https://github.com/AsamK/signal-cli/blob/master/man/signal-cli-jsonrpc.5.adoc#subscribereceive>.
//!
//! Signal hands a message over once. So it is put into an inbox that outlives the connection before anything else,
//! and a run that is told to stop unsubscribes first, takes what was on its way and hands it over: there may be no next
//! run. What finds nobody comes in with the next one.

use super::SignalCli;
use super::daemon::PATIENCE;
use super::envelope::{Me, Notification};
use super::link::{Fault, Link, Received};
use super::refusal::{self, METHOD_NOT_FOUND};
use crate::unread::Reader;
use crate::{Arrival, Connection, ConnectionEnd, Refusal, Signal, SignalSink, Unreadable};
use foldback_wire::{ChannelState, Inbound, MessageId, Receipt, RefusalCode, Timestamp};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::time::Duration;

/// How long a run that stops waits for what is on its way, and then for somebody to take it; whoever stops it waits for
/// five seconds.
const PARTING: Duration = Duration::from_secs(3);
const EMPTYING: Duration = Duration::from_secs(1);

/// What is not handed over yet.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    items: VecDeque<Item>,
    /// The person was told that the daemon receives by itself.
    warned: bool,
}

#[derive(Debug)]
enum Item {
    Message(Box<Inbound>),
    /// A message of the account has come further.
    Receipt(MessageId, Receipt, Timestamp),
    /// A line, or a part of one, that cannot be read.
    Unreadable(Unreadable),
}

/// A connection on which messages arrive.
pub(super) struct Listening {
    link: Link,
    /// `None` while it is being asked for.
    subscription: Option<Value>,
}

/// An account as `listAccounts` has it.
#[derive(Debug, Deserialize)]
struct Account {
    number: Option<String>,
    aci: Option<String>,
}

impl SignalCli {
    /// Receives on one connection until it breaks.
    pub(super) async fn receive(&self, connection: &Connection) -> ConnectionEnd {
        let mut listening = self.listening.lock().await;
        let why = format!("connecting to signal-cli at {}", self.daemon);
        connection.report(ChannelState::Connecting, &why).await;
        let Err(refusal) = self.listen(connection, &mut listening).await;
        *listening = None;
        match refusal.code {
            RefusalCode::Transient => ConnectionEnd::Lost(refusal),
            _ => ConnectionEnd::Refused(refusal),
        }
    }

    async fn listen(
        &self,
        connection: &Connection,
        listening: &mut Option<Listening>,
    ) -> Result<Infallible, Refusal> {
        let mut link = self.daemon.connect().await?;
        self.find_account(&mut link).await?;
        self.meet_groups().await;
        let Listening { link, subscription } = listening.insert(Listening {
            link,
            subscription: None,
        });
        *subscription = Some(self.ask(link, "subscribeReceive", &self.parameters()).await?);
        let as_whom = self
            .state()
            .me
            .account()
            .map_or_else(String::new, |me| format!(" as {me}"));
        let why = format!("connected{as_whom}");
        connection.report(ChannelState::Up, &why).await;
        connection.confirm();
        loop {
            self.hand_over(connection.sink()).await;
            let received = link.received().await.map_err(|error| {
                let why = format!("the connection to signal-cli broke: {error}");
                Refusal::new(RefusalCode::Transient, why)
            })?;
            self.take(received)?;
        }
    }

    /// Finds out which account is meant. A daemon of one account does not list it.
    async fn find_account(&self, link: &mut Link) -> Result<(), Refusal> {
        let answer = self
            .daemon
            .ask(link, "listAccounts", &Map::new(), |r| self.keep(r), PATIENCE)
            .await?;
        let accounts: Vec<Account> = match answer {
            Err(fault) if fault.code == METHOD_NOT_FOUND => return Ok(()),
            Err(fault) => return Err(refusal::of("listAccounts", &fault)),
            Ok(accounts) => serde_json::from_value(accounts).map_err(|e| {
                let why = format!("signal-cli lists its accounts in another form: {e}");
                Refusal::new(RefusalCode::Transient, why)
            })?,
        };
        let is_meant = |account: &&Account| match &self.account {
            Some(_) => [&account.number, &account.aci].contains(&&self.account),
            None => true,
        };
        let meant: Vec<_> = accounts.iter().filter(is_meant).collect();
        let why = match (meant.as_slice(), &self.account) {
            ([one], _) => {
                self.state().me = Me {
                    number: one.number.clone(),
                    aci: one.aci.clone(),
                };
                return Ok(());
            }
            ([], Some(account)) => format!("signal-cli has no account {account}; register or link it there"),
            ([], None) => "signal-cli has no account; register or link one there".to_owned(),
            _ => "signal-cli has several accounts; set the channel's account to the number that is meant"
                .to_owned(),
        };
        Err(Refusal::new(RefusalCode::Unauthorized, why))
    }

    async fn ask(
        &self,
        link: &mut Link,
        method: &str,
        params: &Map<String, Value>,
    ) -> Result<Value, Refusal> {
        let answer = self
            .daemon
            .ask(link, method, params, |r| self.keep(r), PATIENCE)
            .await?;
        answer.map_err(|fault| refusal::of(method, &fault))
    }

    /// Takes what was received while something else is under way.
    fn keep(&self, received: Received) {
        if let Err(refusal) = self.take(received) {
            tracing::warn!(%refusal, "a message for another account was passed over");
        }
    }

    /// Puts what was received into the inbox, if it is a message, or a receipt of one.
    fn take(&self, received: Received) -> Result<(), Refusal> {
        let mut reader = Reader::default();
        let taken = match received {
            Ok(received) => self.take_notification(&received, &mut reader),
            Err(unreadable) => {
                reader.add(unreadable);
                Ok(())
            }
        };
        let failed = reader.into_failed().into_iter().map(Item::Unreadable);
        self.state().inbox.items.extend(failed);
        taken
    }

    fn take_notification(&self, params: &Value, reader: &mut Reader) -> Result<(), Refusal> {
        let Some((subscription, received)) = Notification::read(params, reader) else {
            return Ok(());
        };
        let mut state = self.state();
        if subscription.is_none() && !std::mem::replace(&mut state.inbox.warned, true) {
            tracing::warn!(
                "signal-cli receives by itself; start its daemon with --receive-mode=manual, else what arrives \
                 while the channel is off is lost"
            );
        }
        if let Some(exception) = received.exception {
            let why = format!("signal-cli could not read it: {}", exception.kind);
            reader.fail("message", &why, params);
        }
        let Some(envelope) = received.envelope else {
            return Ok(());
        };
        if let Some(account) = &received.account {
            match state.me.account() {
                Some(me) if me == account || state.me.aci.as_ref() == Some(account) => {}
                // The daemon's only one.
                _ if self.account.is_none() && (subscription.is_some() || state.me == Me::default()) => {
                    state.me = Me::of(Some(account));
                }
                None => {}
                // A daemon of several tells every connection about all of them.
                Some(_) if subscription.is_none() => return Ok(()),
                Some(me) => {
                    let why = format!(
                        "signal-cli has the account {account}, not {me}; set the channel's account to it"
                    );
                    return Err(Refusal::new(RefusalCode::Unauthorized, why));
                }
            }
        }
        if let Some(aci) = envelope.aci_of(&state.me) {
            state.me.aci = Some(aci.to_owned());
        }
        let receipts = envelope.receipts(&state.me).into_iter();
        let receipts = receipts.map(|(message, receipt, when)| Item::Receipt(message, receipt, when));
        state.inbox.items.extend(receipts);
        let group = envelope
            .group()
            .map(|(group, revision)| (group.to_owned(), revision));
        let (is_news, members) = group.map_or((false, Vec::new()), |(group, revision)| {
            let is_news = state.groups.hear_of(&group, revision);
            (is_news, state.groups.members(&group))
        });
        let message = envelope.inbound(&self.channel, received.account, &state.me, members, reader);
        if let Some(message) = message
            && state.memory.add(&message.chat, &message.message, &message.text)
        {
            state.inbox.items.push_back(Item::Message(Box::new(message)));
        }
        drop(state);
        if is_news {
            // Nobody waits for it.
            drop(self.ask_for_members());
        }
        Ok(())
    }

    /// Empties the inbox into the sink. What is in it leaves it only when there is a place for it.
    async fn hand_over(&self, sink: &SignalSink) {
        while !self.state().inbox.items.is_empty() {
            // A closed sink ends the run.
            let Ok(place) = sink.reserve().await else { return };
            let mut state = self.state();
            place.send(match state.inbox.items.pop_front() {
                Some(Item::Message(message)) => {
                    let (arrival, told) = Arrival::until_kept(*message);
                    state.receipts.expect(&arrival.message, told);
                    Signal::Message(Box::new(arrival))
                }
                Some(Item::Receipt(message, receipt, when)) => Signal::Receipt {
                    message,
                    receipt,
                    when,
                    kept: None,
                },
                Some(Item::Unreadable(unreadable)) => Signal::Unreadable(unreadable),
                None => return,
            });
        }
    }

    /// Ends the subscription, and keeps what arrives until that is acknowledged.
    pub(super) async fn leave(&self, mut listening: Listening) {
        let left = tokio::time::timeout(PARTING, self.unsubscribe(&mut listening)).await;
        if !matches!(left, Ok(Ok(Ok(_)))) {
            tracing::debug!("signal-cli did not acknowledge the end of the subscription");
        }
    }

    /// Hands over what is left in the inbox, if somebody takes it.
    pub(super) async fn empty(&self, sink: &SignalSink) {
        if tokio::time::timeout(EMPTYING, self.hand_over(sink))
            .await
            .is_err()
        {
            tracing::warn!("messages wait that nobody takes; they come in with the next run");
        }
    }

    async fn unsubscribe(&self, listening: &mut Listening) -> io::Result<Result<Value, Fault>> {
        let Listening { link, subscription } = listening;
        let subscription = match subscription.take() {
            Some(subscription) => subscription,
            None => match link.answer(|received| self.keep(received)).await? {
                Ok(subscription) => subscription,
                refused => return Ok(refused),
            },
        };
        let mut params = self.parameters();
        params.insert("subscription".into(), subscription);
        link.call("unsubscribeReceive", &params, |received| self.keep(received))
            .await
    }
}
