//! The requests of a page, and how they are answered. Nothing of a request is believed before its addresses were looked at.

use super::WebChat;
use super::answer::{self, PageAnswer};
use super::conversation::Conversation;
use super::conversations::NoRoom;
use super::entry::Author;
use super::file;
use super::limits::{self, CONNECTIONS};
use super::origin::{Home, is_own_page};
use super::parts;
use super::session::SessionKey;
use super::stream::Events;
use super::upload::{Untaken, read_json, read_message};
use crate::listener::connections::{Peer, network_of};
use crate::listener::{Listener, PortRules};
use crate::{Connection, Refusal};
use foldback_wire::{ChannelState, MessageId};
use futures::stream;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, SET_COOKIE};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const RULES: PortRules = PortRules {
    at_once: CONNECTIONS,
    // A page that is closed closes both.
    half_close: false,
};

/// A request of a page, once it is known to be one.
pub(super) struct Asked {
    pub(super) head: Parts,
    pub(super) home: Home,
    /// The address of the visitor, as far as it is known.
    pub(super) address: IpAddr,
    pub(super) peer: Peer,
}

/// A visitor's reaction.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PostedReaction {
    message: MessageId,
    emoji: String,
    /// False takes it away.
    on: bool,
}

impl WebChat {
    /// Answers requests until something goes wrong.
    pub(super) async fn serve(&self, connection: &Connection) -> Refusal {
        let opened = async {
            let listener = Listener::bind(self.listen).await?;
            Ok((listener.address()?, listener))
        };
        match opened.await {
            Ok((address, listener)) => {
                self.conversations.sweep();
                connection.confirm();
                let why = format!("the chat page is at http://{address}");
                connection.report(ChannelState::Up, &why).await;
                let answer = async |request, peer| {
                    let answer = self.answer(request, peer, connection).await;
                    answer::secure(answer, &self.origins.frame_ancestors())
                };
                listener.serve_requests(RULES, answer).await
            }
            Err(refusal) => refusal,
        }
    }

    async fn answer(&self, request: Request<Incoming>, peer: Peer, connection: &Connection) -> PageAnswer {
        let (head, body) = request.into_parts();
        let Some(home) = self.origins.home(&head.headers) else {
            let words = "The chat is not at this address. Whoever runs it lists its addresses under origins.";
            return answer::say(StatusCode::MISDIRECTED_REQUEST, words);
        };
        let address = address_of(&peer, &head.headers);
        let asked = Asked {
            head,
            home,
            address,
            peer,
        };
        let path = asked.head.uri.path();
        let is_get = asked.head.method == Method::GET;
        match path {
            "/session" | "/messages" | "/reactions" if asked.head.method != Method::POST => {
                answer::wrong_method("POST")
            }
            "/session" | "/messages" | "/reactions" => self.change(asked, body, connection).await,
            _ if !is_get => answer::wrong_method("GET"),
            "/events" => self.stream(&asked),
            _ => {
                if let Some(id) = path.strip_prefix("/files/") {
                    asked.peer.stay_for(limits::DOWNLOAD);
                    return match self.visitor(&asked) {
                        Some(conversation) => file::hand_over(&conversation, id, &asked.head.headers).await,
                        None => answer::no_session(),
                    };
                }
                parts::part(path)
                    .unwrap_or_else(|| answer::say(StatusCode::NOT_FOUND, "There is nothing here."))
            }
        }
    }

    /// The conversation of a request's session.
    fn visitor(&self, asked: &Asked) -> Option<Arc<Conversation>> {
        let key = SessionKey::of(&asked.head.headers, &asked.home)?;
        self.conversations.get(&key.chat())
    }

    /// Answers what changes something.
    async fn change(&self, asked: Asked, body: Incoming, connection: &Connection) -> PageAnswer {
        if !is_own_page(&asked.head.method, &asked.head.headers, &asked.home) {
            return answer::foreign();
        }
        if let Err(wait) = self.requests().take(asked.address, Instant::now()) {
            return answer::too_many(wait, "Too many requests come from your network.");
        }
        if asked.head.uri.path() == "/session" {
            return self.begin_session(&asked);
        }
        let Some(conversation) = self.visitor(&asked) else {
            return answer::no_session();
        };
        let per_minute = self.limits.messages_per_minute;
        let taken = conversation
            .state()
            .allowance_mut()
            .take(per_minute, Instant::now());
        if let Err(wait) = taken {
            return answer::too_many(wait, "That was much at once.");
        }
        if asked.head.uri.path() == "/messages" {
            return self.post_message(asked, &conversation, body, connection).await;
        }
        match read_json::<PostedReaction>(body).await {
            Ok(reaction) => self.post_reaction(&conversation, &reaction),
            Err(untaken) => refuse(&untaken),
        }
    }

    fn begin_session(&self, asked: &Asked) -> PageAnswer {
        let known = SessionKey::of(&asked.head.headers, &asked.home);
        let known = known.filter(|key| self.conversations.get(&key.chat()).is_some());
        let key = if let Some(key) = known {
            key
        } else {
            if let Err(wait) = self.newcomers().take(asked.address, Instant::now()) {
                return answer::too_many(wait, "Too many conversations begin from your network.");
            }
            let key = SessionKey::random();
            let wait = Duration::from_mins(1);
            match self.conversations.begin(&key, asked.address) {
                Ok(_) => key,
                Err(NoRoom::OfAddress) => {
                    return answer::too_many(wait, "Too many conversations of your network are going on.");
                }
                Err(NoRoom::OfAll) => {
                    let words = "Too many conversations are going on.";
                    return answer::wait_for(StatusCode::SERVICE_UNAVAILABLE, wait, words);
                }
            }
        };
        let limits = json!({
            "text": self.capabilities.text_limit,
            "bytes": limits::BODY - limits::WORDS as u64 * 2,
            "files": limits::FILES,
        });
        let mut answer = answer::json(&json!({ "limits": limits }));
        if let Ok(cookie) = HeaderValue::try_from(key.cookie(&asked.home)) {
            answer.headers_mut().insert(SET_COOKIE, cookie);
        }
        answer
    }

    fn stream(&self, asked: &Asked) -> PageAnswer {
        if !is_own_page(&asked.head.method, &asked.head.headers, &asked.home) {
            return answer::foreign();
        }
        let Some(conversation) = self.visitor(asked) else {
            return answer::no_session();
        };
        let Some(seat) = self.seats.take(asked.address) else {
            let words = "Too many people are here.";
            return answer::wait_for(StatusCode::SERVICE_UNAVAILABLE, limits::QUIET, words);
        };
        let last = asked
            .head
            .headers
            .get("last-event-id")
            .and_then(|id| id.to_str().ok());
        let Some(watched) = conversation.watch(last, asked.peer.clone(), self.clock.now()) else {
            return answer::too_many(limits::QUIET, "The chat is open in too many tabs. Close one.");
        };
        // It is bounded by its own number, and gives way to nobody.
        asked.peer.stay_for(Duration::MAX);
        asked.peer.trust();
        let events = Events::new(conversation, watched, Arc::clone(&self.clock));
        let pieces = stream::unfold((events, seat), async |(mut events, seat)| {
            let piece = events.next().await?;
            Some((Ok(Frame::data(piece)), (events, seat)))
        });
        let mut answer = Response::new(StreamBody::new(pieces).boxed_unsync());
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        // A proxy of the kind that collects answers is told not to: https://nginx.org/en/docs/http/ngx_http_proxy_module.html
        headers.insert(
            HeaderName::from_static("x-accel-buffering"),
            HeaderValue::from_static("no"),
        );
        answer
    }

    fn post_reaction(&self, conversation: &Conversation, reaction: &PostedReaction) -> PageAnswer {
        if emojis::get(&reaction.emoji).is_none() {
            return answer::say(StatusCode::BAD_REQUEST, "That is no emoji.");
        }
        let PostedReaction { message, emoji, on } = reaction;
        match conversation.react(message, emoji, Author::Visitor, *on, self.clock.now()) {
            Ok(()) | Err(super::conversation::Unchanged::Already) => answer::json(&json!({})),
            Err(super::conversation::Unchanged::Unwritten(error)) => answer::unwritten(&error),
            Err(_) => answer::say(StatusCode::NOT_FOUND, "There is no such message any more."),
        }
    }

    /// Takes a message in, with its files.
    async fn post_message(
        &self,
        asked: Asked,
        conversation: &Arc<Conversation>,
        body: Incoming,
        connection: &Connection,
    ) -> PageAnswer {
        asked.peer.stay_for(limits::UPLOAD + limits::KEEPING);
        let folder = {
            let state = conversation.state();
            if let Err(error) = state.log().make_folder() {
                return answer::unwritten(&error);
            }
            state.log().file("")
        };
        match read_message(&asked.head.headers, body, &folder).await {
            Ok(posted) => self.take_in(conversation, posted, connection).await,
            Err(untaken) => refuse(&untaken),
        }
    }
}

/// The visitor's own address: a proxy on this machine says for whom it asks, and nobody else is believed.
fn address_of(peer: &Peer, headers: &HeaderMap) -> IpAddr {
    let address = peer.address();
    if !address.is_loopback() {
        return address;
    }
    let told = headers.get_all("x-forwarded-for").iter().next_back();
    let told = told.and_then(|told| told.to_str().ok()?.rsplit(',').next()?.trim().parse().ok());
    told.map_or(address, network_of)
}

fn refuse(untaken: &Untaken) -> PageAnswer {
    match untaken {
        Untaken::TooLarge => answer::say(
            StatusCode::PAYLOAD_TOO_LARGE,
            "That is larger than what can be sent here.",
        ),
        Untaken::TooSlow => answer::say(StatusCode::REQUEST_TIMEOUT, "It did not come in time."),
        Untaken::Unreadable(why) => {
            answer::say(StatusCode::BAD_REQUEST, format!("That cannot be read: {why}"))
        }
        Untaken::Unwritten(error) => answer::unwritten(error),
    }
}
