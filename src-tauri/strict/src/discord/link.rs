//! One connection to the gateway: what a bot may say on it, and when.

use super::gateway::{KNOWN, Order, PRIVILEGED_BITS};
use super::rules::{
    BEAT, FIRST, IDENTIFY, INTENTS, ONCE, OPCODE, PACE, PAYLOAD, PRIVILEGED, RESUME, RESUME_URL, SEQ, SHARD,
    TOKEN,
};
use super::server::{DiscordServer, State};
use crate::Rule;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// <https://discord.com/developers/docs/events/gateway#rate-limiting>
const MOST: usize = 120;
const WINDOW: Duration = Duration::from_mins(1);

/// What the gateway does on a connection.
#[derive(Debug)]
pub(super) enum Out {
    Say(Value),
    Close(u16, &'static str),
    Cut,
}

#[derive(Debug)]
pub(super) struct Link {
    number: u64,
    /// The last event sent, once there is a session.
    sent: Option<u64>,
    at_resume: bool,
    heard: VecDeque<Instant>,
    /// When a heartbeat has to have come.
    pub(super) beat_by: Instant,
}

type Heard = Result<Vec<Out>, (Rule, u16, &'static str)>;

impl State {
    /// A new connection, and its greeting.
    pub(super) fn greet(&mut self, at_resume: bool) -> (Link, Out) {
        let gateway = &mut self.gateway;
        gateway.links += 1;
        let link = Link {
            number: gateway.links,
            sent: None,
            at_resume,
            heard: VecDeque::new(),
            beat_by: Instant::now() + gateway.interval * 2,
        };
        let interval = u64::try_from(gateway.interval.as_millis()).unwrap_or(u64::MAX);
        let hello = json!({"op": 10, "d": {"heartbeat_interval": interval}});
        (link, Out::Say(hello))
    }

    /// What is to be said on a connection by now.
    pub(super) fn due(&mut self, link: &mut Link) -> Vec<Out> {
        let gateway = &mut self.gateway;
        let (Some(sent), true) = (link.sent, link.number == gateway.link) else {
            return Vec::new();
        };
        let events = gateway.after(sent);
        link.sent = Some(sent + events.len() as u64);
        let mut out: Vec<Out> = events.iter().cloned().map(Out::Say).collect();
        while let Some(order) = gateway.orders.pop_front() {
            out.push(match order {
                Order::Reconnect => Out::Say(json!({"op": 7, "d": null})),
                Order::Invalidate { resumable } => {
                    if !resumable {
                        gateway.forget();
                    }
                    link.sent = None;
                    Out::Say(json!({"op": 9, "d": resumable}))
                }
                Order::Close(code) => Out::Close(code, "as the test wants it"),
                Order::Cut => Out::Cut,
                Order::AskHeartbeat => Out::Say(json!({"op": 1, "d": null})),
                Order::Repeat => Out::Say(gateway.last().cloned().unwrap_or_default()),
                Order::Garble => Out::Say(json!({"op": "zero"})),
            });
            if matches!(order, Order::Close(_) | Order::Cut) {
                // What follows is for the next connection.
                break;
            }
        }
        out
    }

    /// Hears what the bot says.
    pub(super) fn hear(&mut self, link: &mut Link, said: &str) -> Vec<Out> {
        match self.understand(link, said) {
            Ok(out) => out,
            Err((rule, code, reason)) => {
                self.broken.note(rule);
                vec![Out::Close(code, reason)]
            }
        }
    }

    fn understand(&mut self, link: &mut Link, said: &str) -> Heard {
        let now = Instant::now();
        link.heard.retain(|at| now.duration_since(*at) < WINDOW);
        link.heard.push_back(now);
        if link.heard.len() > MOST {
            return Err((PACE, 4008, "You are being rate limited."));
        }
        let payload: Value = serde_json::from_str(said).unwrap_or_default();
        let (Some(op), true) = (payload["op"].as_u64(), said.len() <= 4_096) else {
            return Err((PAYLOAD, 4002, "Error while decoding payload."));
        };
        let d = &payload["d"];
        match op {
            1 => self.beat(link, d),
            2 | 6 if link.sent.is_some() => Err((ONCE, 4005, "Already authenticated.")),
            2 | 6 if !self.gateway.rebuffs.is_empty() => Ok(self
                .gateway
                .rebuffs
                .pop_front()
                .map(Out::Say)
                .into_iter()
                .collect()),
            2 => self.identify(link, d),
            6 => self.resume(link, d),
            3 | 4 | 8 | 31 if link.sent.is_none() => Err((FIRST, 4003, "Not authenticated.")),
            3 | 4 | 8 | 31 => Ok(Vec::new()),
            _ => Err((OPCODE, 4001, "Unknown opcode.")),
        }
    }

    fn beat(&mut self, link: &mut Link, d: &Value) -> Heard {
        let reached = link.sent.unwrap_or(u64::MAX);
        if !(d.is_null() || d.as_u64().is_some_and(|seq| seq <= reached)) {
            return Err((BEAT, 4002, "Error while decoding payload."));
        }
        self.gateway.beats += 1;
        link.beat_by = Instant::now() + self.gateway.interval * 2;
        Ok(if self.gateway.deaf {
            Vec::new()
        } else {
            vec![Out::Say(json!({"op": 11}))]
        })
    }

    fn identify(&mut self, link: &mut Link, d: &Value) -> Heard {
        self.check_token(&d["token"])?;
        let named = ["os", "browser", "device"]
            .iter()
            .all(|name| d["properties"][name].is_string());
        let (Some(intents), true) = (d["intents"].as_u64(), named) else {
            return Err((IDENTIFY, 4002, "Error while decoding payload."));
        };
        if intents & !KNOWN != 0 {
            return Err((INTENTS, 4013, "Invalid intent(s)."));
        }
        if self.gateway.plain && intents & PRIVILEGED_BITS != 0 {
            return Err((PRIVILEGED, 4014, "Disallowed intent(s)."));
        }
        let shard = (d["shard"][0].as_u64(), d["shard"][1].as_u64());
        let fits = d["shard"].is_null() || matches!(shard, (Some(number), Some(count)) if number < count);
        if !fits {
            return Err((SHARD, 4010, "Invalid shard."));
        }
        self.gateway.begin(link.number, intents, DiscordServer::BOT);
        link.sent = Some(0);
        Ok(Vec::new())
    }

    fn resume(&mut self, link: &mut Link, d: &Value) -> Heard {
        self.check_token(&d["token"])?;
        let (Some(id), Some(seq)) = (d["session_id"].as_str(), d["seq"].as_u64()) else {
            return Err((RESUME, 4002, "Error while decoding payload."));
        };
        if !link.at_resume {
            // It is done all the same, only less well.
            self.broken.note(RESUME_URL);
        }
        match self.gateway.resume(link.number, id) {
            None => Ok(vec![Out::Say(json!({"op": 9, "d": false}))]),
            Some(reached) if seq > reached => Err((SEQ, 4007, "Invalid seq.")),
            Some(_) => {
                self.gateway.resumed += 1;
                link.sent = Some(seq);
                // It comes after everything that was missed.
                self.gateway.dispatch("RESUMED", json!({}));
                Ok(Vec::new())
            }
        }
    }

    fn check_token(&self, token: &Value) -> Result<(), (Rule, u16, &'static str)> {
        if token.as_str().map(|token| token.trim_start_matches("Bot ")) == Some(self.token.as_str()) {
            return Ok(());
        }
        Err((TOKEN, 4004, "Authentication failed."))
    }
}
