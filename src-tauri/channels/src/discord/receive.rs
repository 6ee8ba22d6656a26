//! Receiving: one connection after the other, which all serve one session as long as Discord lets them.

use super::Discord;
use super::menu::UsedCommand;
use super::message::{Message, roles_of};
use super::session::{Bot, KnownPlace, Open, Place, Session};
use super::socket::{End, PATIENCE, Payload, Socket};
use crate::unread::Reader;
use crate::{Arrival, Connection, ConnectionEnd, Refusal, Signal, SignalSink};
use foldback_wire::{ChannelState, RefusalCode};
use serde::Deserialize;
use serde_json::{Value, json};
use serenity::constants::Opcode;
use serenity::model::channel::ChannelType;
use serenity::model::gateway::GatewayIntents;
use serenity::model::id::{ChannelId, UserId};
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::pin::pin;
use std::time::Duration;

/// What is told: messages in servers and direct ones, with what they say.
/// <https://discord.com/developers/docs/events/gateway#list-of-intents>
pub(super) const INTENTS: GatewayIntents = GatewayIntents::GUILDS
    .union(GatewayIntents::GUILD_MESSAGES)
    .union(GatewayIntents::DIRECT_MESSAGES)
    .union(GatewayIntents::MESSAGE_CONTENT);

/// Least time between the beginnings of two sessions.
/// <https://discord.com/developers/docs/events/gateway#rate-limiting>
const BEGIN_INTERVAL: Duration = Duration::from_secs(5);

/// As much of a channel as tells whether it is a thread, and its name.
#[derive(Debug, Deserialize)]
struct Channel {
    #[serde(rename = "type")]
    kind: ChannelType,
    parent_id: Option<ChannelId>,
    name: Option<String>,
}

/// A channel whose name may be another one now.
#[derive(Debug, Deserialize)]
struct Renamed {
    id: ChannelId,
    name: Option<String>,
}

/// As much of a session's first event as is needed to resume it.
/// <https://discord.com/developers/docs/events/gateway-events#ready>
#[derive(Debug, Deserialize)]
struct Ready {
    user: Me,
    session_id: String,
    resume_gateway_url: String,
}

#[derive(Debug, Deserialize)]
struct Me {
    id: UserId,
    username: String,
}

/// <https://discord.com/developers/docs/events/gateway#get-gateway-bot>
#[derive(Debug, Deserialize)]
struct BotGateway {
    url: String,
    session_start_limit: SessionStartLimit,
}

/// <https://discord.com/developers/docs/events/gateway#session-start-limit-object>
#[derive(Debug, Deserialize)]
struct SessionStartLimit {
    remaining: u64,
    /// Milliseconds.
    reset_after: u64,
}

impl Discord {
    /// Follows the session over one connection until that ends.
    pub(super) async fn receive(&self, connection: &Connection) -> ConnectionEnd {
        let mut session = self.session.lock().await;
        connection
            .report(ChannelState::Connecting, "connecting to Discord")
            .await;
        let Err(End { refusal, session_too }) = self.attend(&mut session, connection).await;
        if session_too {
            session.end();
        }
        if refusal.code.is_denied() {
            ConnectionEnd::Refused(refusal)
        } else {
            ConnectionEnd::Lost(refusal)
        }
    }

    async fn attend(&self, session: &mut Session, connection: &Connection) -> Result<Infallible, End> {
        let sink = connection.sink();
        let mut socket = self.take_up(session).await?;
        // A gateway that answers heartbeats and begins nothing would be waited for for ever.
        let mut overdue = pin!(tokio::time::sleep(PATIENCE));
        loop {
            let due = socket.beat_due();
            tokio::select! {
                biased;
                () = due => {
                    // What is confirmed now may not be sent again: the next process must not ask for it.
                    self.mark(session).await;
                    socket.beat(session.safe()).await?;
                }
                settled = session.settle() => {
                    settled?;
                    self.mark(session).await;
                }
                () = &mut overdue, if !socket.up => {
                    let seconds = PATIENCE.as_secs();
                    let why = format!("Discord took up no session within {seconds} seconds");
                    return Err(again_soon(why).into());
                }
                payload = socket.next() => {
                    let payload = match payload? {
                        Ok(payload) => payload,
                        Err(unreadable) => {
                            socket.during(session.safe(), unreadable.report(sink)).await?;
                            continue;
                        }
                    };
                    match payload.op {
                        Opcode::Dispatch => self.dispatch(payload, &mut socket, session, connection).await?,
                        Opcode::HeartbeatAck if socket.up => connection.confirm(),
                        Opcode::Heartbeat => {
                            self.mark(session).await;
                            socket.beat_now(session.safe()).await?;
                        }
                        Opcode::Reconnect => return Err(at_once("Discord asks to connect anew", &socket).into()),
                        Opcode::InvalidSession => return Err(self.invalid(&payload.d, &socket)),
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
            self.clock.sleep_until_steady(begun.plus(BEGIN_INTERVAL)).await;
        }
        let mut socket = self.connect(&gateway.url).await?;
        session.begun = Some(self.clock.steady());
        let identify = json!({
            "token": token,
            "intents": INTENTS.bits(),
            "properties": {"os": std::env::consts::OS, "browser": "foldback", "device": "foldback"},
        });
        socket.say(Opcode::Identify, identify).await?;
        Ok(socket)
    }

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
        connection: &Connection,
    ) -> Result<(), End> {
        let Some(seq) = event.s else { return Ok(()) };
        if let Some(open) = session.open().filter(|_| !socket.up) {
            // What was missed comes first: the session goes on. Said before that, so that what is answered may go.
            let why = format!("connected again as {}, nothing was missed", open.bot.name);
            let up = connection.report(ChannelState::Up, &why);
            socket.during(session.safe(), up).await?;
            socket.up = true;
            socket.during(session.safe(), self.set_menu()).await?;
        }
        match event.t.as_deref() {
            Some("READY") => {
                let ready: Ready = serde_json::from_value(event.d)
                    .map_err(|e| again_soon(format!("Discord began with something else: {e}")))?;
                let why = format!("connected as {}", ready.user.username);
                let bot = Bot {
                    id: ready.user.id,
                    name: ready.user.username,
                    roles: BTreeSet::new(),
                };
                let open = Open {
                    id: ready.session_id,
                    url: ready.resume_gateway_url,
                    bot,
                };
                // A token has one bot: what was told before is the same.
                let _ = self.own_id.set(open.bot.id);
                session.begin(open, seq);
                self.mark(session).await;
                let up = connection.report(ChannelState::Up, &why);
                socket.during(session.safe(), up).await?;
                socket.up = true;
                socket.during(session.safe(), self.set_menu()).await?;
            }
            _ if !session.is_new(seq) => {}
            Some("MESSAGE_CREATE") => {
                let sink = connection.sink();
                self.hand_over(event.d, seq, socket, session, sink).await?;
            }
            Some("INTERACTION_CREATE") => {
                let used = session.bot().and_then(|bot| UsedCommand::read(&event.d, bot.id));
                let Some(used) = used else {
                    session.received(seq);
                    return Ok(());
                };
                if !self.menu.commands().is_empty() {
                    socket.during(session.safe(), self.acknowledge(&used)).await?;
                }
                let sink = connection.sink();
                self.hand_over(used.message, seq, socket, session, sink).await?;
            }
            Some("GUILD_CREATE") => {
                session.received(seq);
                if let Some(bot) = session.bot() {
                    let roles = roles_of(bot, &event.d);
                    bot.roles.extend(roles);
                }
            }
            Some("CHANNEL_UPDATE" | "THREAD_UPDATE") => {
                session.received(seq);
                if let Ok(Renamed { id, name }) = Renamed::deserialize(event.d) {
                    session.rename(id, name);
                }
            }
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
        let mut reader = Reader::default();
        let message = Message::read(&message, &mut reader);
        socket.during(session.safe(), reader.report(sink)).await?;
        let (Some(message), Some(bot)) = (message, session.bot()) else {
            session.received(seq);
            return Ok(());
        };
        if !message.is_for(bot) {
            session.received(seq);
            return Ok(());
        }
        let channel = message.channel;
        let place = match session.place(channel) {
            Some(known) => known,
            // Nobody can open a thread in a direct conversation.
            None if !message.in_server => Place::Chat.into(),
            None => socket.during(session.safe(), self.look_up(channel)).await??,
        };
        session.learn(channel, place.clone());
        let Some(bot) = session.bot() else { return Ok(()) };
        let (arrival, kept) = Arrival::until_kept(message.inbound(place, &self.channel, bot));
        let Ok(place) = socket.during(session.safe(), sink.reserve()).await? else {
            // A closed sink ends the run.
            return Ok(());
        };
        session.handed_over(seq, kept);
        place.send(Signal::Message(Box::new(arrival)));
        Ok(())
    }

    /// What a channel is.
    async fn look_up(&self, channel: ChannelId) -> Result<KnownPlace, Refusal> {
        use ChannelType::{NewsThread, PrivateThread, PublicThread};
        let found = self.api.get(&["channels", &channel.to_string()]).await;
        match found {
            Ok(Channel {
                kind: PublicThread | PrivateThread | NewsThread,
                parent_id: Some(parent),
                name,
            }) => Ok(KnownPlace {
                place: Place::ThreadOf(parent),
                name,
            }),
            Ok(Channel { name, .. }) => Ok(KnownPlace {
                place: Place::Chat,
                name,
            }),
            // The session resumes before this message, and asks again.
            Err(refusal) if matches!(refusal.code, RefusalCode::Transient | RefusalCode::RateLimited) => {
                Err(refusal)
            }
            // What may be read but not looked at is a chat like any other.
            Err(_) => Ok(Place::Chat.into()),
        }
    }

    /// <https://discord.com/developers/docs/events/gateway-events#invalid-session>
    fn invalid(&self, resumable: &Value, socket: &Socket) -> End {
        if resumable.as_bool() == Some(true) {
            return at_once("Discord asks to resume", socket).into();
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

/// Without a wait, where the connection was up; one that never was is tried again with growing waits, however often it
/// is asked for.
fn at_once(why: &str, socket: &Socket) -> Refusal {
    Refusal {
        retry_after: socket.up.then_some(Duration::ZERO),
        ..again_soon(why.to_owned())
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
    if !refusal.code.is_denied() {
        return refusal;
    }
    Refusal {
        detail: format!("Discord refuses the token: {}", refusal.detail),
        ..refusal
    }
}
