//! Socket Mode: <https://docs.slack.dev/apis/events-api/using-socket-mode>.

use super::Slack;
use super::intake::{Intake, due, in_time};
use crate::http::WebSocket;
use crate::{Refusal, Unreadable};
use foldback_wire::{ChannelState, RefusalCode, Secret};
use futures::stream::FuturesUnordered;
use futures::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::{self, Message};

/// Silence after which Slack is asked whether it is still there; after as much again the connection is given up.
/// Slack itself asks more often.
const SILENCE: Duration = Duration::from_secs(30);

/// What lasted so long was a connection; one that is closed before is opened again with growing waits.
const LASTING: Duration = Duration::from_mins(1);

#[derive(Debug, Deserialize)]
struct Opened {
    url: String,
}

#[derive(Debug, Deserialize)]
struct Frame {
    #[serde(rename = "type")]
    kind: String,
    envelope_id: Option<String>,
    #[serde(default)]
    payload: Value,
    #[serde(default)]
    reason: String,
}

impl Slack {
    /// Receives until the last connection is gone. Slack replaces connections every few hours and tells before it
    /// closes one; the next is opened at once, beside it, so that nothing falls between the two.
    pub(super) async fn socket_mode(
        &self,
        intake: &Intake<'_>,
        token: &Secret,
    ) -> Result<Infallible, Refusal> {
        let link = self.open(token).await?;
        let since = self.clock.monotonic();
        let why = format!("connected as @{} in {}", intake.bot.name, intake.bot.workspace);
        intake.connection.report(ChannelState::Up, &why).await;
        let replace = Notify::new();
        let connection = |link| self.connection(link, token, intake, &replace);
        let mut connections = FuturesUnordered::from_iter([connection(Some(link))]);
        loop {
            tokio::select! {
                Some(refusal) = connections.next() => if connections.is_empty() {
                    if self.clock.monotonic().saturating_sub(since) > LASTING {
                        intake.connection.confirm();
                    }
                    return Err(refusal);
                },
                () = replace.notified() => connections.push(connection(None)),
            }
        }
    }

    async fn open(&self, token: &Secret) -> Result<WebSocket, Refusal> {
        let opened: Opened = self.api.call_as(token, "apps.connections.open", &[]).await?;
        let mut link = self.api.dial(&opened.url).await?;
        // It is up only once it says so.
        let greeted = async {
            loop {
                match read(&mut link).await? {
                    Some(Ok(frame)) if frame.kind == "hello" => return Ok(()),
                    Some(Ok(frame)) if frame.kind == "disconnect" => return Err(farewell(&frame.reason)),
                    _ => {}
                }
            }
        };
        timeout(SILENCE, greeted).await.map_err(|_| silent())??;
        Ok(link)
    }

    /// Receives through one connection, or a new one, until it is gone.
    async fn connection(
        &self,
        link: Option<WebSocket>,
        token: &Secret,
        intake: &Intake<'_>,
        replace: &Notify,
    ) -> Refusal {
        let opened = match link {
            Some(link) => Ok(link),
            None => self.open(token).await,
        };
        match opened {
            Ok(link) => {
                let Err(refusal) = converse(link, intake, replace).await;
                refusal
            }
            Err(refusal) => refusal,
        }
    }
}

async fn converse(mut link: WebSocket, intake: &Intake<'_>, replace: &Notify) -> Result<Infallible, Refusal> {
    let mut confirmed = FuturesUnordered::new();
    // A message that was read and waits for its place in the pipeline. Nothing more is read meanwhile, so that a slow
    // pipeline slows Slack down; an idle connection keeps no place from the one that replaces it. Dropped here, the
    // message is unconfirmed, and Slack sends it again.
    let mut waiting = None;
    let (mut asked, mut replaced) = (false, false);
    loop {
        tokio::select! {
            Some(envelope) = confirmed.next() => if let Some(envelope) = envelope {
                confirm(&mut link, envelope).await?;
            },
            place = intake.connection.sink().reserve(), if waiting.is_some() => match (place, waiting.take()) {
                (Ok(place), Some((message, envelope, due))) => {
                    let kept = intake.hand_over(message, place);
                    confirmed.push(async move {
                        in_time(due, async { kept.await.ok() }).await.then_some(envelope)
                    });
                }
                // Nobody listens any more, which ends the run.
                _ => std::future::pending().await,
            },
            read = timeout(SILENCE, read(&mut link)), if waiting.is_none() => {
                let Ok(read) = read else {
                    if asked {
                        return Err(silent());
                    }
                    asked = true;
                    link.send(Message::Ping(tungstenite::Bytes::new())).await.map_err(|error| lost(&error))?;
                    continue;
                };
                asked = false;
                let frame = match read? {
                    Some(Ok(frame)) => frame,
                    Some(Err(unreadable)) => {
                        unreadable.report(intake.connection.sink()).await;
                        continue;
                    }
                    None => continue,
                };
                if frame.kind == "disconnect" && frame.reason == "link_disabled" {
                    return Err(farewell(&frame.reason));
                }
                if frame.kind == "disconnect" && !replaced {
                    replaced = true;
                    replace.notify_one();
                }
                let Some(envelope) = frame.envelope_id else { continue };
                let due = due();
                let message = match frame.kind.as_str() {
                    "events_api" => intake.message(&frame.payload["event"]).await,
                    "slash_commands" => intake.command(&frame.payload).await,
                    _ => None,
                };
                match message {
                    None => confirm(&mut link, envelope).await?,
                    Some(message) => waiting = Some((message, envelope, due)),
                }
            }
        }
    }
}

async fn confirm(link: &mut WebSocket, envelope: String) -> Result<(), Refusal> {
    let confirmation = json!({"envelope_id": envelope}).to_string();
    link.send(Message::text(confirmation))
        .await
        .map_err(|error| lost(&error))
}

/// The next frame; `None` for one that says nothing to an app. Pings are answered on the way.
async fn read(link: &mut WebSocket) -> Result<Option<Result<Frame, Unreadable>>, Refusal> {
    match link.next().await {
        Some(Ok(Message::Text(text))) => {
            let frame = serde_json::from_str(&text);
            let frame = frame.map_err(|error| Unreadable::new("frame", &error, text.as_bytes()));
            Ok(Some(frame))
        }
        Some(Ok(Message::Close(_))) | None => Err(Refusal::new(
            RefusalCode::Transient,
            "Slack closed the connection",
        )),
        Some(Ok(_)) => Ok(None),
        Some(Err(error)) => Err(lost(&error)),
    }
}

fn lost(error: &tungstenite::Error) -> Refusal {
    Refusal::new(
        RefusalCode::Transient,
        format!("the connection to Slack broke: {error}"),
    )
}

fn silent() -> Refusal {
    Refusal::new(RefusalCode::Transient, "Slack has fallen silent")
}

fn farewell(reason: &str) -> Refusal {
    let why = match reason {
        "link_disabled" => {
            "Socket Mode is switched off for the app; switch it on, on its page Socket Mode".to_owned()
        }
        _ => format!("Slack ended the connection: {reason}"),
    };
    Refusal::new(RefusalCode::Transient, why)
}
