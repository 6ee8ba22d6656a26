//! One connection to the gateway: <https://discord.com/developers/docs/events/gateway#connections>.

use crate::http::{self, BODY_BYTES, WebSocket};
use crate::{Refusal, Unreadable};
use foldback_wire::{Clock, RefusalCode, Rng, Sleep, SteadyTime};
use futures::{SinkExt as _, StreamExt as _};
use reqwest::Url;
use serde::Deserialize;
use serde_json::{Value, json};
use serenity::constants::{GATEWAY_VERSION, Opcode, close_codes};
use std::sync::Arc;
use std::time::Duration;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message};

/// Longest time for opening a connection, and then for taking up a session on it: Discord needs a second or two for each.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// How a connection ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) refusal: Refusal,
    /// Whether its session ended with it.
    pub(super) session_too: bool,
}

impl From<Refusal> for End {
    fn from(refusal: Refusal) -> Self {
        Self {
            refusal,
            session_too: false,
        }
    }
}

/// An event of either side.
/// <https://discord.com/developers/docs/events/gateway-events#payload-structure>
#[derive(Debug, Deserialize)]
pub(super) struct Payload {
    pub(super) op: Opcode,
    #[serde(default)]
    pub(super) d: Value,
    /// The number of a dispatched event in its session.
    pub(super) s: Option<u64>,
    /// The name of a dispatched event.
    pub(super) t: Option<String>,
}

pub(super) struct Socket {
    stream: WebSocket,
    clock: Arc<dyn Clock>,
    interval: Duration,
    beat_at: SteadyTime,
    /// Whether the last heartbeat was answered.
    answered: bool,
    /// Whether a session has been taken up on it.
    pub(super) up: bool,
}

impl Socket {
    /// Connects, and learns how fast its heart has to beat.
    pub(super) async fn open(gateway: &str, clock: &Arc<dyn Clock>, rng: &dyn Rng) -> Result<Self, End> {
        let opening = async {
            let mut socket = Self {
                stream: connect(gateway).await?,
                clock: Arc::clone(clock),
                interval: Duration::ZERO,
                beat_at: clock.steady(),
                answered: true,
                up: false,
            };
            let strange = || broken("Discord did not begin with Hello");
            let hello = socket.next().await?.map_err(|_| strange())?;
            let interval = hello.d["heartbeat_interval"].as_u64();
            let (Opcode::Hello, Some(interval @ 1..)) = (hello.op, interval) else {
                return Err(strange().into());
            };
            socket.interval = Duration::from_millis(interval);
            // The first one comes at any moment, so that not all bots beat at once after an outage.
            socket.beat_at = clock.steady().plus(Duration::from_millis(rng.next() % interval));
            Ok(socket)
        };
        match tokio::time::timeout(PATIENCE, opening).await {
            Ok(opened) => opened,
            Err(_) => Err(broken("the gateway does not answer").into()),
        }
    }

    /// The next event. It may be given up and asked for again without a loss.
    pub(super) async fn next(&mut self) -> Result<Result<Payload, Unreadable>, End> {
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => {
                    let payload: Payload = match serde_json::from_str(&text) {
                        Ok(payload) => payload,
                        Err(e) => {
                            return Ok(Err(Unreadable::new("gateway payload", &e, text.as_bytes())));
                        }
                    };
                    if payload.op == Opcode::HeartbeatAck {
                        self.answered = true;
                    }
                    return Ok(Ok(payload));
                }
                Some(Ok(Message::Close(frame))) => return Err(closed(frame)),
                // Pings are answered by the stream itself.
                Some(Ok(_)) => {}
                Some(Err(Error::Capacity(_))) => return Err(too_long()),
                Some(Err(e)) => return Err(broken(&e.to_string()).into()),
                None => return Err(broken("the connection broke").into()),
            }
        }
    }

    pub(super) async fn say(&mut self, op: Opcode, d: Value) -> Result<(), Refusal> {
        let text = json!({"op": u8::from(op), "d": d}).to_string();
        let said = self.stream.send(Message::text(text)).await;
        said.map_err(|e| broken(&e.to_string()))
    }

    /// Ends when the next heartbeat is due.
    pub(super) fn beat_due(&self) -> Sleep {
        self.clock.sleep_until_steady(self.beat_at)
    }

    /// Shows that this side lives; `seq` is the last event that needs no repetition.
    /// <https://discord.com/developers/docs/events/gateway#sending-heartbeats>
    pub(super) async fn beat(&mut self, seq: Option<u64>) -> Result<(), Refusal> {
        if !std::mem::take(&mut self.answered) {
            return Err(broken("Discord did not answer the last heartbeat"));
        }
        self.beat_now(seq).await
    }

    /// The same out of turn, when Discord asks for it.
    pub(super) async fn beat_now(&mut self, seq: Option<u64>) -> Result<(), Refusal> {
        self.beat_at = self.clock.steady().plus(self.interval);
        self.say(Opcode::Heartbeat, json!(seq)).await
    }

    /// Does what may take long while the heart goes on beating.
    pub(super) async fn during<T>(
        &mut self,
        seq: Option<u64>,
        work: impl Future<Output = T>,
    ) -> Result<T, Refusal> {
        let mut work = std::pin::pin!(work);
        loop {
            let due = self.beat_due();
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = due => {
                    // Nobody reads meanwhile, so no answer can be missed.
                    self.answered = true;
                    self.beat(seq).await?;
                    self.answered = true;
                }
            }
        }
    }
}

/// Opens a connection by the client of all other calls, and so with its rule that nothing secret travels in the open.
async fn connect(gateway: &str) -> Result<WebSocket, Refusal> {
    let wrong = |why: &str| broken(&format!("the gateway's address {gateway:?} {why}"));
    if !gateway.starts_with("ws://") && !gateway.starts_with("wss://") {
        return Err(wrong("is none of a WebSocket"));
    }
    let address = gateway.replacen("ws", "http", 1);
    let client =
        http::client(&address).map_err(|refusal| wrong(&format!("is refused: {}", refusal.detail)))?;
    let mut url = Url::parse(&address).map_err(|e| wrong(&e.to_string()))?;
    // https://discord.com/developers/docs/events/gateway#connecting
    url.query_pairs_mut()
        .clear()
        .append_pair("v", &GATEWAY_VERSION.to_string())
        .append_pair("encoding", "json");
    let opened = http::open_websocket(client.get(url), BODY_BYTES).await?;
    opened.map_err(|response| broken(&format!("the gateway answered {}", response.status())))
}

/// An event that is longer than any is read. Its session ends too: a resumed one would begin with the same event.
fn too_long() -> End {
    let why = format!(
        "an event of the gateway is longer than {BODY_BYTES} bytes; what was written meanwhile did not arrive"
    );
    End {
        session_too: true,
        ..broken(&why).into()
    }
}

fn broken(why: &str) -> Refusal {
    Refusal::new(RefusalCode::Transient, why)
}

/// What a close code means, and what to do about it.
/// <https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes>
fn closed(frame: Option<CloseFrame>) -> End {
    let Some(frame) = frame else {
        return broken("Discord closed the connection").into();
    };
    let code = u16::from(frame.code);
    let said = format!("{} (close code {code})", frame.reason);
    let hopeless = |why: String| End {
        refusal: Refusal::new(RefusalCode::Unauthorized, why),
        session_too: true,
    };
    match code {
        close_codes::AUTHENTICATION_FAILED => hopeless(format!("Discord refuses the token: {said}")),
        close_codes::DISALLOWED_GATEWAY_INTENTS => hopeless(format!(
            "the bot may not read messages: switch on \"Message Content Intent\" on the page Bot of the application at \
             https://discord.com/developers/applications: {said}"
        )),
        close_codes::SHARDING_REQUIRED => hopeless(format!(
            "the bot is in more servers than one connection may serve; Foldback has one connection: {said}"
        )),
        // An invalid shard, an invalid version, invalid intents: this program would have to change.
        close_codes::INVALID_SHARD | 4012 | close_codes::INVALID_GATEWAY_INTENTS => {
            hopeless(format!("Discord refuses the connection: {said}"))
        }
        close_codes::NOT_AUTHENTICATED | close_codes::INVALID_SEQUENCE | close_codes::SESSION_TIMEOUT => {
            End {
                session_too: true,
                ..broken(&format!("Discord closed the session: {said}")).into()
            }
        }
        _ => broken(&format!("Discord closed the connection: {said}")).into(),
    }
}
