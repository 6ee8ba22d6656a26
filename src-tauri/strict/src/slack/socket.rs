//! The server's side of Socket Mode: <https://docs.slack.dev/apis/events-api/using-socket-mode>.

use super::answer::broken_off;
use super::rules::{CONFIRM, FRAME, TICKET};
use super::server::{Inner, Order};
use crate::Mishap;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::time::Instant;

pub(super) async fn link(
    State(inner): State<Arc<Inner>>,
    Query(query): Query<BTreeMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let mishap = inner.state().faults.next("link");
    match mishap {
        None => {}
        Some(Mishap::Broken | Mishap::Lost) => return broken_off(),
        Some(_) => return StatusCode::BAD_GATEWAY.into_response(),
    }
    let ticket = query.get("ticket").cloned().unwrap_or_default();
    let number = {
        let mut state = inner.state();
        if !state.tickets.remove(&ticket) {
            state.broken.note(TICKET);
            return StatusCode::FORBIDDEN.into_response();
        }
        state.connections += 1;
        let number = state.connections;
        state.open.insert(number);
        number
    };
    upgrade.on_upgrade(move |socket| async move {
        let mut connection = Connection {
            socket,
            inner,
            number,
            sent: BTreeMap::new(),
        };
        connection.serve().await;
        connection.inner.let_go(number);
    })
}

struct Connection {
    socket: WebSocket,
    inner: Arc<Inner>,
    number: u64,
    /// Envelopes that are not confirmed: what they hold, and until when they must be.
    sent: BTreeMap<String, (usize, Instant)>,
}

impl Connection {
    async fn serve(&mut self) {
        let inner = Arc::clone(&self.inner);
        let mut orders = inner.orders.subscribe();
        let hello =
            json!({"type": "hello", "num_connections": 1, "connection_info": {"app_id": "A0FOLDBACK"}});
        self.say(&hello).await;
        loop {
            let mut news = std::pin::pin!(inner.news.notified());
            news.as_mut().enable();
            if let Some((at, envelope)) = inner.next_event(self.number) {
                self.sent.insert(
                    envelope["envelope_id"].as_str().unwrap_or_default().to_owned(),
                    (at, Instant::now() + inner.patience()),
                );
                self.say(&envelope).await;
                continue;
            }
            let due = self.sent.values().map(|(_, due)| *due).min();
            let due_or_later = due.unwrap_or_else(|| Instant::now() + inner.patience());
            tokio::select! {
                () = news => {}
                () = tokio::time::sleep_until(due_or_later), if due.is_some() => self.give_up_waiting(),
                order = orders.recv() => match order {
                    Ok(Order::Say(text)) => self.say(&text).await,
                    // Nothing is read any more, so that no ping is answered.
                    Ok(Order::Mute) => std::future::pending().await,
                    Ok(Order::Close(Some(one))) if one != self.number => {}
                    Ok(Order::Close(_)) | Err(_) => return,
                },
                received = self.socket.recv() => match received {
                    Some(Ok(Message::Text(text))) => self.confirm(&text),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Binary(_))) => inner.state().broken.note(FRAME),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                },
            }
        }
    }

    async fn say(&mut self, frame: &Value) {
        // A connection that is gone is noticed when it is read.
        let _ = self.socket.send(Message::text(frame.to_string())).await;
    }

    fn confirm(&mut self, text: &str) {
        let mut state = self.inner.state();
        let Ok(frame) = serde_json::from_str::<Value>(text) else {
            state.broken.note(FRAME);
            return;
        };
        match self
            .sent
            .remove(frame["envelope_id"].as_str().unwrap_or_default())
        {
            Some((at, _)) => state.happened[at].confirmed = true,
            None => state.broken.note(CONFIRM),
        }
    }

    /// Takes back what was not confirmed in time, to be sent again.
    fn give_up_waiting(&mut self) {
        let now = Instant::now();
        let mut state = self.inner.state();
        self.sent.retain(|_, (at, due)| {
            if *due <= now {
                state.happened[*at].held_by = None;
            }
            *due > now
        });
    }
}
