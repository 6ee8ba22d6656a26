//! An operator's word about pairing from another process: over the socket of the bot that runs, else in the
//! journal itself.

use crate::failure;
use foldback_pipeline::{TokioClock, config::Config};
use foldback_store::{Journal as _, PairingBook, PairingError, SqliteJournal, StoreError};
use foldback_wire::{
    Actor, ChannelId, Clock as _, Draft, Kind, UserId,
    rpc::{Failure, Pairings},
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What an operator wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case", deny_unknown_fields)]
pub enum PairingOrder {
    /// To see who waits and who was let in.
    List,
    /// To let in whoever has this code.
    Approve {
        /// The code.
        code: String,
    },
    /// To refuse whoever has this code.
    Refuse {
        /// The code.
        code: String,
    },
    /// To take an approval back.
    Revoke {
        /// On which channel.
        channel: ChannelId,
        /// Whose.
        sender: UserId,
    },
}

/// Gives an order to the bot of this journal, whether it runs or not.
///
/// # Errors
/// With what cannot be done and why; nothing was changed then.
pub async fn pair(journal: &Path, config: &Config, order: PairingOrder) -> Result<Pairings, Failure> {
    #[cfg(unix)]
    if let Some(came) = crate::backend::ask(journal, &order.clone().into()).await {
        return came;
    }
    alone(journal, config, order).await
}

/// Decides in the journal of a bot that does not run.
async fn alone(path: &Path, config: &Config, order: PairingOrder) -> Result<Pairings, Failure> {
    let listed = |book: &PairingBook| book.listed(config.pairing_channels(), TokioClock::system().now());
    if !path.exists() {
        let book = PairingBook::default();
        return match order {
            PairingOrder::List => Ok(listed(&book)),
            order => decide(&book, order).map(|_| listed(&book)),
        };
    }
    if order == PairingOrder::List {
        let journal = SqliteJournal::open_read_only(path)
            .await
            .map_err(failure::journal)?;
        let now = TokioClock::system().now();
        let book = PairingBook::of(&journal, now).await.map_err(failure::journal)?;
        return Ok(listed(&book));
    }
    let journal = SqliteJournal::open(path).await.map_err(|error| match error {
        StoreError::Locked(_) => failure::not_heard(),
        error => failure::journal(error),
    })?;
    let decided = async {
        let at = TokioClock::system().now();
        let mut book = PairingBook::of(&journal, at).await.map_err(failure::journal)?;
        let (channel, kind) = decide(&book, order)?;
        book.fold_kind(at, None, &channel, &kind);
        let draft = Draft {
            at,
            turn: None,
            session: None,
            channel: Some(channel),
            kind,
        };
        journal.append(vec![draft]).map_err(failure::journal)?;
        journal.flush().await.map_err(failure::journal)?;
        Ok(listed(&book))
    };
    let came = decided.await;
    journal.close().await.map_err(failure::journal)?;
    came
}

/// What an order comes to.
fn decide(book: &PairingBook, order: PairingOrder) -> Result<(ChannelId, Kind), Failure> {
    let decided = match order {
        PairingOrder::Approve { code } => book.decide(&code, true, Actor::Cli, TokioClock::system().now()),
        PairingOrder::Refuse { code } => book.decide(&code, false, Actor::Cli, TokioClock::system().now()),
        PairingOrder::Revoke { channel, sender } => {
            let kind = book.revoke(&channel, &sender, Actor::Cli);
            kind.map(|kind| (channel, kind))
        }
        // Whoever only looks decides nothing.
        PairingOrder::List => Err(PairingError::NoCode(String::new())),
    };
    decided.map_err(|error| failure::no_pairing(&error))
}
