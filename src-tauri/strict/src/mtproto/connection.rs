//! One connection: packets in, answers and updates out.

use super::answers::CallRefusal;
use super::crypto::key_id;
use super::rules::ENCRYPTED;
use super::session::{Message, Session};
use super::state::{State, lock};
use super::transport::{ConnectionEnd, Reader, Writer};
use crate::Mishap;
use std::sync::{Arc, Mutex};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::broadcast::error::RecvError;

/// Serves a connection until one of the two ends it.
pub(super) async fn serve(stream: TcpStream, state: Arc<Mutex<State>>) {
    if let Err(ConnectionEnd::Broken(rule)) = talk(stream, &state).await {
        lock(&state).broken.note(rule);
    }
}

async fn talk(stream: TcpStream, state: &Mutex<State>) -> Result<(), ConnectionEnd> {
    let (read, write) = stream.into_split();
    let mut reader = Reader::new(read);
    let (key, mut updates, mut cut) = {
        let state = lock(state);
        (
            state.account.key,
            state.updates.subscribe(),
            state.cut.subscribe(),
        )
    };
    let mut line = ServerLine {
        writer: Writer::new(write),
        session: Session::new(key),
        has_begun: false,
    };
    loop {
        // A packet that is half read is not left: the reader is asked again until it is whole.
        let mut next = std::pin::pin!(reader.next());
        let packet = loop {
            tokio::select! {
                biased;
                _ = cut.changed() => return Ok(()),
                packet = &mut next => break packet?,
                update = updates.recv() => match update {
                    Ok(update) => line.push(&update, state).await?,
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return Ok(()),
                },
            }
        };
        if packet.get(..8) != Some(&key_id(&key)) {
            // <https://core.telegram.org/mtproto/mtproto-transports#transport-errors>
            line.writer.send_error(404).await?;
            return Err(ConnectionEnd::Broken(ENCRYPTED));
        }
        let salt = lock(state).salt;
        let heard = line.session.hear(&packet, salt).map_err(ConnectionEnd::Broken)?;
        for answer in heard.answers {
            line.writer.send(&answer).await?;
        }
        for call in heard.calls {
            if !line.answer(&call, state).await? {
                return Ok(());
            }
        }
        let left = line.session.unacknowledged();
        lock(state).unacknowledged = left;
    }
}

/// The server's end of a connection.
struct ServerLine {
    writer: Writer<OwnedWriteHalf>,
    session: Session,
    /// True once the client has said what it is.
    has_begun: bool,
}

impl ServerLine {
    /// Hands an update on, to a client that has said what it is and whose account is signed in.
    async fn push(&mut self, update: &[u8], state: &Mutex<State>) -> Result<(), ConnectionEnd> {
        let (salt, is_signed_in) = {
            let state = lock(state);
            (state.salt, state.account.is_signed_in)
        };
        if self.has_begun && is_signed_in {
            let packet = self.session.say(update, salt, true, false);
            self.writer.send(&packet).await?;
        }
        Ok(())
    }

    /// Answers a call; false where the connection breaks.
    async fn answer(&mut self, call: &Message, state: &Mutex<State>) -> Result<bool, ConnectionEnd> {
        let (answer, mishap) = lock(state).call(&call.body, &mut self.has_begun);
        match mishap {
            Some(Mishap::Lost | Mishap::Broken) => return Ok(false),
            Some(Mishap::Late(wait)) => tokio::time::sleep(wait).await,
            _ => {}
        }
        let salt = lock(state).salt;
        let body = CallRefusal::result(call.id, answer);
        let packet = self.session.say(&body, salt, true, true);
        self.writer.send(&packet).await?;
        Ok(true)
    }
}
