//! Who asked to talk to the bot, and whom an operator let in: a fold over the journal, so that it is exactly as
//! durable as the events that tell of it.

use crate::{Journal, StoreError};
use foldback_wire::{
    Actor, ChannelId, Event, Kind, PairingStep, Rng, Timestamp, TurnId, UserId,
    rpc::{Approval, PairingRequest, Pairings, ReplacedRequest},
};
use std::{collections::BTreeMap, time::Duration};

/// Most people on the list of those who wait for an operator on one channel. The oldest request gives way to a newer
/// one: otherwise three accounts would keep everybody else from asking.
const MOST: usize = 3;

/// Most requests of one channel that gave way and are still known. Their codes are good for their hour, so that whoever
/// shows one can be let in although others asked after them, and need not be told another one.
const MOST_REPLACED: usize = 32;

/// How long a code is valid.
pub(crate) const VALID: Duration = Duration::from_hours(1);

/// The time for which requests are read back at a start: longer than a code is valid, as the clock may have been set.
const RECENT: Duration = Duration::from_hours(24);

/// The letters and digits of a code: none that is taken for another when it is read aloud or copied by hand.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

/// Signs of a code.
const LENGTH: u32 = 8;

/// Why nothing can be decided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairingError {
    /// No code looks like this.
    #[error("\"{}\" is no code: a code has {LENGTH} letters and digits, without I, O, 0 and 1", .0.escape_default())]
    NoCode(String),
    /// Nobody waits with this code.
    #[error(
        "nobody waits with the code {0}: it was decided about already, is older than an hour, or many asked since"
    )]
    NobodyWaits(String),
    /// There is nothing to take back.
    #[error("\"{}\" was not approved on \"{}\"", .sender.escape_default(), .channel.escape_default())]
    NotApproved {
        /// On which channel.
        channel: String,
        /// Who.
        sender: String,
    },
}

/// Where somebody unknown stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// They have not asked yet, or too long ago.
    New,
    /// They have a code already.
    Waits {
        /// Until when it is valid.
        until: Timestamp,
        /// The turn in which they got it.
        turn: Option<TurnId>,
    },
    /// An operator said no.
    Refused {
        /// Until when they are not asked about again.
        until: Timestamp,
    },
}

#[derive(Debug, Clone)]
struct Request {
    asked: PairingRequest,
    turn: Option<TurnId>,
    refused: bool,
    /// To whose request it gave way, and when.
    replaced: Option<(UserId, Timestamp)>,
}

impl Request {
    /// True where it stands on the list of those who wait.
    fn is_listed(&self, now: Timestamp) -> bool {
        self.asked.until > now && !self.refused && self.replaced.is_none()
    }
}

#[derive(Debug, Clone)]
struct Approved {
    name: String,
    by: Actor,
    at: Timestamp,
}

/// Who waits and who was let in.
#[derive(Debug, Clone, Default)]
pub struct PairingBook {
    requests: Vec<Request>,
    approved: BTreeMap<(ChannelId, UserId), Approved>,
}

impl PairingBook {
    /// What a journal tells. Reads who was let in, and the requests that may still be valid.
    pub async fn of(journal: &dyn Journal, now: Timestamp) -> Result<Self, StoreError> {
        let mut book = Self::default();
        for event in journal.pairings(now.minus(RECENT)).await? {
            book.fold_event(&event);
        }
        Ok(book)
    }

    /// Learns from an event; events come in order, and all but those of pairing say nothing here.
    pub fn fold_event(&mut self, event: &Event) {
        if let Some(channel) = &event.channel {
            self.fold_kind(event.at, event.turn, channel, &event.kind);
        }
    }

    /// Learns from an event that has no place in the journal yet.
    pub fn fold_kind(&mut self, at: Timestamp, turn: Option<TurnId>, channel: &ChannelId, kind: &Kind) {
        let Kind::Pairing {
            step,
            sender,
            name,
            code,
            until,
            by,
        } = kind
        else {
            return;
        };
        let (code, until) = (code.clone().unwrap_or_default(), until.unwrap_or(at));
        self.requests.retain(|request| request.asked.until > at);
        let own = |request: &Request| request.asked.channel == *channel && request.asked.sender == *sender;
        let who = (channel.clone(), sender.clone());
        match step {
            PairingStep::Requested => {
                self.requests.retain(|request| !own(request));
                let asked = PairingRequest {
                    channel: channel.clone(),
                    sender: sender.clone(),
                    name: name.clone(),
                    code,
                    since: at,
                    until,
                };
                self.requests.push(Request {
                    asked,
                    turn,
                    refused: false,
                    replaced: None,
                });
            }
            PairingStep::Replaced => {
                let Actor::User(newer) = by else { return };
                for request in self.requests.iter_mut().filter(|request| own(request)) {
                    request.replaced = Some((newer.clone(), at));
                }
                self.forget_replaced(channel);
            }
            PairingStep::Approved => {
                self.requests.retain(|request| !own(request));
                let (name, by) = (name.clone(), by.clone());
                self.approved.insert(who, Approved { name, by, at });
            }
            PairingStep::Refused => {
                for request in self.requests.iter_mut().filter(|request| own(request)) {
                    request.refused = true;
                }
            }
            PairingStep::Revoked => drop(self.approved.remove(&who)),
        }
    }

    /// Forgets a request that did not come into the journal after all; what gave way to it has its place again.
    pub fn forget(&mut self, code: &str) {
        let Some(place) = self
            .requests
            .iter()
            .position(|request| request.asked.code == code)
        else {
            return;
        };
        let PairingRequest {
            channel,
            sender,
            since,
            ..
        } = self.requests.remove(place).asked;
        let gave_way_to_it = |request: &&mut Request| {
            request.asked.channel == channel && request.replaced == Some((sender.clone(), since))
        };
        for request in self.requests.iter_mut().filter(gave_way_to_it) {
            request.replaced = None;
        }
    }

    /// Keeps no more of a channel's requests that gave way than may be known, the latest.
    fn forget_replaced(&mut self, channel: &ChannelId) {
        let replaced = |request: &Request| request.asked.channel == *channel && request.replaced.is_some();
        let known = self.requests.iter().filter(|request| replaced(request)).count();
        let mut beyond = known.saturating_sub(MOST_REPLACED);
        self.requests.retain(|request| {
            let goes = beyond > 0 && replaced(request);
            beyond -= usize::from(goes);
            !goes
        });
    }

    /// The event of the oldest request that gives way to a new one of `sender`; `None` where there is a place.
    pub fn replacement(&self, channel: &ChannelId, sender: &UserId, now: Timestamp) -> Option<Kind> {
        let listed = |request: &&Request| request.asked.channel == *channel && request.is_listed(now);
        let mut listed = self.requests.iter().filter(listed);
        if listed.clone().count() < MOST {
            return None;
        }
        listed.next().map(|Request { asked, .. }| Kind::Pairing {
            step: PairingStep::Replaced,
            sender: asked.sender.clone(),
            name: asked.name.clone(),
            code: Some(asked.code.clone()),
            until: Some(asked.until),
            by: Actor::User(sender.clone()),
        })
    }

    /// Who let somebody in, if anybody did.
    pub fn approved(&self, channel: &ChannelId, sender: &UserId) -> Option<&Actor> {
        let who = (channel.clone(), sender.clone());
        self.approved.get(&who).map(|approved| &approved.by)
    }

    /// Where somebody stands who is not approved.
    pub fn standing(&self, channel: &ChannelId, sender: &UserId, now: Timestamp) -> Standing {
        match self.request_of(channel, sender, now) {
            Some(Request {
                asked, refused: true, ..
            }) => Standing::Refused { until: asked.until },
            Some(Request { asked, turn, .. }) => Standing::Waits {
                until: asked.until,
                turn: *turn,
            },
            None => Standing::New,
        }
    }

    /// The request of somebody, with a code that nobody else has: the one they wait with, else a new one.
    pub fn request(
        &self,
        channel: &ChannelId,
        sender: &UserId,
        name: &str,
        now: Timestamp,
        rng: &dyn Rng,
    ) -> Kind {
        let waiting = self.request_of(channel, sender, now);
        let code = waiting.map_or_else(|| self.new_code(rng), |request| request.asked.code.clone());
        Kind::Pairing {
            step: PairingStep::Requested,
            sender: sender.clone(),
            name: name.to_owned(),
            code: Some(code),
            until: Some(now.plus(VALID)),
            by: Actor::User(sender.clone()),
        }
    }

    /// The request of somebody whose hour is not over; it may be refused or have given way.
    fn request_of(&self, channel: &ChannelId, sender: &UserId, now: Timestamp) -> Option<&Request> {
        self.requests.iter().find(|request| {
            let asked = &request.asked;
            asked.channel == *channel && asked.sender == *sender && asked.until > now
        })
    }

    /// Whoever guesses a code has gained nothing: only an operator can use it, and it lets in the one it was
    /// given to. So it need not be unpredictable, only rare enough not to be hit by a typing error.
    fn new_code(&self, rng: &dyn Rng) -> String {
        let mut number = rng.next();
        loop {
            let sign = |place: u32| char::from(ALPHABET[(number >> (5 * place) & 31) as usize]);
            let code: String = (0..LENGTH).map(sign).collect();
            if self.requests.iter().all(|request| request.asked.code != code) {
                return code;
            }
            number = number.wrapping_add(1);
        }
    }

    /// What an operator's decision about a request comes to, and on which channel.
    pub fn decide(
        &self,
        code: &str,
        approve: bool,
        by: Actor,
        now: Timestamp,
    ) -> Result<(ChannelId, Kind), PairingError> {
        let no_code = || PairingError::NoCode(code.chars().take(64).collect());
        let known = code.to_ascii_uppercase();
        if known.len() != LENGTH as usize || !known.bytes().all(|sign| ALPHABET.contains(&sign)) {
            return Err(no_code());
        }
        let waits =
            |request: &&Request| request.asked.code == known && request.asked.until > now && !request.refused;
        let Some(Request { asked, .. }) = self.requests.iter().find(waits) else {
            return Err(PairingError::NobodyWaits(known));
        };
        let kind = Kind::Pairing {
            step: if approve {
                PairingStep::Approved
            } else {
                PairingStep::Refused
            },
            sender: asked.sender.clone(),
            name: asked.name.clone(),
            code: Some(known),
            until: (!approve).then_some(asked.until),
            by,
        };
        Ok((asked.channel.clone(), kind))
    }

    /// What taking an approval back comes to.
    pub fn revoke(&self, channel: &ChannelId, sender: &UserId, by: Actor) -> Result<Kind, PairingError> {
        let who = (channel.clone(), sender.clone());
        let approved = self.approved.get(&who).ok_or_else(|| PairingError::NotApproved {
            channel: channel.as_str().chars().take(64).collect(),
            sender: sender.as_str().chars().take(64).collect(),
        })?;
        Ok(Kind::Pairing {
            step: PairingStep::Revoked,
            sender: sender.clone(),
            name: approved.name.clone(),
            code: None,
            until: None,
            by,
        })
    }

    /// Who waits now and who was let in, where `channels` are those whose setting asks for an approval.
    pub fn listed(&self, channels: Vec<ChannelId>, now: Timestamp) -> Pairings {
        let pending = self.requests.iter().filter(|request| request.is_listed(now));
        let good = |request: &&Request| request.asked.until > now && !request.refused;
        let replaced = self.requests.iter().filter(good).filter_map(|request| {
            let (by, at) = request.replaced.clone()?;
            Some(ReplacedRequest {
                request: request.asked.clone(),
                by,
                at,
            })
        });
        let approved = self
            .approved
            .iter()
            .map(|((channel, sender), approved)| Approval {
                channel: channel.clone(),
                sender: sender.clone(),
                name: approved.name.clone(),
                by: approved.by.clone(),
                at: approved.at,
                in_force: channels.contains(channel),
            });
        Pairings {
            pending: pending.map(|request| request.asked.clone()).collect(),
            replaced: replaced.collect(),
            approved: approved.collect(),
            channels,
        }
    }
}

#[cfg(test)]
mod tests;
