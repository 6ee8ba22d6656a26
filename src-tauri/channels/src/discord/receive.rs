//! Receiving: one connection after the other, which all serve one session as long as Discord lets them.

use super::message::{inbound, is_for_us};
use super::session::{Open, Session};
use super::socket::{End, Payload, Socket};
use super::Discord;
use crate::backoff::Backoff;
use crate::loopback::report;
use crate::{Arrival, Refusal, Signal, SignalSink};
use foldback_wire::{ChannelState, RefusalCode};
use serde::Deserialize;
use serde_json::{Value, json};
use serenity::constants::Opcode;
use serenity::model::channel::{ChannelType, Message};
use serenity::model::gateway::{BotGateway, GatewayIntents, Ready};
use serenity::model::id::ChannelId;
use std::convert::Infallible;
use std::time::Duration;

/// What is told: messages in servers and direct ones, with what they say.
/// <https://discord.com/developers/docs/events/gateway#list-of-intents>
const INTENTS: GatewayIntents = GatewayIntents::GUILDS
    .union(GatewayIntents::GUILD_MESSAGES)
    .union(GatewayIntents::DIRECT_MESSAGES)
    .union(GatewayIntents::MESSAGE_CONTENT);

/// Least time between the beginnings of two sessions.
/// <https://discord.com/developers/docs/events/gateway#rate-limiting>
const BEGIN_INTERVAL: Duration = Duration::from_secs(5);

/// As much of a channel as tells whether it is a thread.
#[derive(Debug, Deserialize)]
struct Place {
    #[serde(rename = "type")]
    kind: ChannelType,
    parent_id: Option<ChannelId>,
}

impl Discord {
    /// Receives until Discord wants this bot no more.
    pub(super) async fn receive(&self, sink: &SignalSink) -> Refusal {
        let mut session = self.session.lock().await;
        let mut backoff = Backoff::default();
        loop {
            report(sink, ChannelState::Connecting, "connecting to Discord").await;
            let Err(End { refusal, session_too }) = self.attend(&mut session, sink, &mut backoff).await;
            if session_too {
                session.end();
            }
            let state = match refusal.code {
                RefusalCode::RateLimited => ChannelState::RateLimited,
                _ => ChannelState::Down,
            };
            report(sink, state, &refusal.detail).await;
            if refusal.code == RefusalCode::Forbidden {
                return refusal;
            }
            let wait = refusal
                .retry_after
                .unwrap_or_else(|| backoff.next(self.rng.as_ref()));
            self.clock.sleep_until(self.clock.now().plus(wait)).await;
        }
    }

    /// Follows a session over one connection until that ends.
    async fn attend(
        &self,
        session: &mut Session,
        sink: &SignalSink,
        backoff: &mut Backoff,
    ) -> Result<Infallible, End> {
        let mut socket = self.take_up(session).await?;
        loop {
            let due = socket.beat_due();
            tokio::select! {
                biased;
                () = due => socket.beat(session.safe()).await?,
                settled = session.settle() => settled?,
                payload = socket.next() => {
                    let payload = payload?;
                    match payload.op {
                        Opcode::Dispatch => self.dispatch(payload, &mut socket, session, sink).await?,
                        Opcode::HeartbeatAck => backoff.reset(),
                        Opcode::Heartbeat => socket.beat_now(session.safe()).await?,
                        Opcode::Reconnect => return Err(again("Discord asks to connect anew", Duration::ZERO).into()),
                        Opcode::InvalidSession => return Err(self.invalid(&payload.d)),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Connects, and resumes the session or begins one.
    async fn take_up(&self, session: &mut Session) -> Result<Socket, End> {
        let token = self.api.token().expose();
        if let Some(known) = session.open() {
            let mut socket = match self.connect(&known.url).await {
                Ok(socket) => socket,
                // The session's own gateway may be gone while Discord is not.
                Err(_) => self.connect(&self.gateway().await?.url).await?,
            };
            let resume = json!({"token": token, "session_id": known.id, "seq": session.safe()});
            socket.say(Opcode::Resume, resume).await?;
            return Ok(socket);
        }
        let gateway = self.gateway().await?;
        let limit = gateway.session_start_limit;
        if limit.remaining == 0 {
            let mut refusal = again(
                "Discord lets this bot begin no more sessions today",
                Duration::from_millis(limit.reset_after),
            );
            refusal.code = RefusalCode::RateLimited;
            return Err(refusal.into());
        }
        if let Some(begun) = session.begun {
            self.clock.sleep_until(begun.plus(BEGIN_INTERVAL)).await;
        }
        let mut socket = self.connect(&gateway.url).await?;
        session.begun = Some(self.clock.now());
        let identify = json!({
            "token": token,
            "intents": INTENTS.bits(),
            "properties": {"os": std::env::consts::OS, "browser": "foldback", "device": "foldback"},
        });
        socket.say(Opcode::Identify, identify).await?;
        Ok(socket)
    }

    /// <https://discord.com/developers/docs/events/gateway#get-gateway-bot>
    async fn gateway(&self) -> Result<BotGateway, Refusal> {
        self.api.get(&["gateway", "bot"]).await.map_err(refused)
    }

    async fn connect(&self, url: &str) -> Result<Socket, End> {
        Socket::open(url, &self.clock, self.rng.as_ref()).await
    }

    /// Deals with one event. What may wait for the pipeline or for Discord lets the heart beat on.
    async fn dispatch(
        &self,
        event: Payload,
        socket: &mut Socket,
        session: &mut Session,
        sink: &SignalSink,
    ) -> Result<(), End> {
        let Some(seq) = event.s else { return Ok(()) };
        match event.t.as_deref() {
            Some("READY") => {
                let ready: Ready = serde_json::from_value(event.d)
                    .map_err(|e| again_soon(format!("Discord began with something else: {e}")))?;
                let open = Open {
                    id: ready.session_id,
                    url: ready.resume_gateway_url,
                    bot: ready.user.id,
                    name: ready.user.name.clone(),
                };
                let why = format!("connected as {}", open.name);
                session.begin(open, seq);
                let up = report(sink, ChannelState::Up, &why);
                socket.during(session.safe(), up).await?;
            }
            Some("RESUMED") => {
                session.received(seq);
                let name = session.open().map_or("", |open| &open.name);
                let why = format!("connected again as {name}, nothing was missed");
                let up = report(sink, ChannelState::Up, &why);
                socket.during(session.safe(), up).await?;
            }
            _ if !session.is_new(seq) => {}
            Some("MESSAGE_CREATE") => self.hand_over(event.d, seq, socket, session, sink).await?,
            _ => session.received(seq),
        }
        Ok(())
    }

    async fn hand_over(
        &self,
        message: Value,
        seq: u64,
        socket: &mut Socket,
        session: &mut Session,
        sink: &SignalSink,
    ) -> Result<(), End> {
        let (message, bot) = match (serde_json::from_value::<Message>(message), session.bot()) {
            (Ok(message), Some(bot)) if is_for_us(&message, bot) => (message, bot),
            (read, _) => {
                if let Err(error) = read {
                    tracing::warn!(%error, seq, "a message of Discord cannot be read");
                }
                session.received(seq);
                return Ok(());
            }
        };
        // Nobody can open a thread in a direct conversation.
        let parent = match message.guild_id {
            Some(_) => {
                let place = message.channel_id;
                let (safe, known) = (session.safe(), session.parent(place));
                let parent = socket.during(safe, self.parent(place, known)).await??;
                session.learn(place, parent);
                parent
            }
            None => None,
        };
        let (arrival, kept) = Arrival::until_kept(inbound(message, parent, &self.channel, bot));
        let Ok(place) = socket.during(session.safe(), sink.reserve()).await? else {
            // A closed sink ends the run.
            return Ok(());
        };
        session.handed_over(seq, kept);
        place.send(Signal::Message(Box::new(arrival)));
        Ok(())
    }

    /// The channel that a channel is a thread of.
    async fn parent(
        &self,
        place: ChannelId,
        known: Option<Option<ChannelId>>,
    ) -> Result<Option<ChannelId>, Refusal> {
        if let Some(known) = known {
            return Ok(known);
        }
        match self.api.get::<Place>(&["channels", &place.to_string()]).await {
            Ok(found) => {
                let thread = matches!(
                    found.kind,
                    ChannelType::PublicThread | ChannelType::PrivateThread | ChannelType::NewsThread
                );
                Ok(found.parent_id.filter(|_| thread))
            }
            // The session resumes before this message, and asks again.
            Err(refusal) if matches!(refusal.code, RefusalCode::Transient | RefusalCode::RateLimited) => {
                Err(refusal)
            }
            // It may be read but not looked at: then it is a chat like any other.
            Err(_) => Ok(None),
        }
    }

    /// <https://discord.com/developers/docs/events/gateway-events#invalid-session>
    fn invalid(&self, resumable: &Value) -> End {
        if resumable.as_bool() == Some(true) {
            return again("Discord asks to resume", Duration::ZERO).into();
        }
        // A random wait of one to five seconds is asked for.
        let wait = Duration::from_millis(1_000 + self.rng.next() % 4_000);
        End {
            refusal: again(
                "Discord has ended the session: what was written meanwhile did not arrive",
                wait,
            ),
            session_too: true,
        }
    }
}

fn again(why: &str, after: Duration) -> Refusal {
    Refusal {
        retry_after: Some(after),
        ..again_soon(why.to_owned())
    }
}

fn again_soon(why: String) -> Refusal {
    Refusal::new(RefusalCode::Transient, why)
}

/// A refusal of the first call says whether the token is any good.
fn refused(refusal: Refusal) -> Refusal {
    match refusal.code {
        RefusalCode::Forbidden => Refusal {
            detail: format!("Discord refuses the token: {}", refusal.detail),
            ..refusal
        },
        _ => refusal,
    }
}
