//! A session in memory, as the library uses it, and its file.

use super::TelegramUserApp;
use super::file::{self, SessionRecord};
use grammers_session::types::{ChannelState, DcOption, PeerId, PeerInfo, UpdateState, UpdatesState};
use grammers_session::{BoxFuture, Session, SessionData};
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most people and groups whose access hashes are kept. Of the others a new message tells them again.
const MOST_PEERS: usize = 5_000;

/// A session, and where it is kept.
pub(super) struct AccountSession {
    path: PathBuf,
    state: Mutex<SessionState>,
}

struct SessionState {
    kept: SessionRecord,
    centres: HashMap<i32, DcOption>,
    peers: HashMap<PeerId, PeerInfo>,
    order: VecDeque<PeerId>,
}

impl AccountSession {
    /// The session that is kept for an app, or a new one that nobody has signed in to.
    pub(super) fn open(path: PathBuf, app: &TelegramUserApp) -> io::Result<Self> {
        let known = SessionData::default();
        let mut centres = known.dc_options;
        let kept = if let Some(kept) = file::read(&path, app)? {
            kept
        } else {
            if let Some(first) = centres.get_mut(&known.home_dc) {
                point(first, app.root);
            }
            SessionRecord {
                phone: app.phone.clone(),
                root: app.root.to_string(),
                home: known.home_dc,
                ..SessionRecord::default()
            }
        };
        centres.extend(kept.centres.iter().map(|centre| (centre.id, centre.clone())));
        let peers = kept.peers.iter().map(|peer| (peer.id(), peer.clone())).collect();
        let order = kept.peers.iter().map(PeerInfo::id).collect();
        let state = SessionState {
            kept,
            centres,
            peers,
            order,
        };
        Ok(Self {
            path,
            state: Mutex::new(state),
        })
    }

    /// The id of the account; `None` before it is signed in.
    pub(super) fn account(&self) -> Option<i64> {
        self.state().kept.account
    }

    /// Notes that it is signed in.
    pub(super) fn sign_in(&self, account: i64) {
        self.state().kept.account = Some(account);
    }

    /// Forgets how far updates were had.
    pub(super) fn forget_updates(&self) {
        self.state().kept.updates = UpdatesState::default();
    }

    /// Writes it to its file.
    pub(super) fn save(&self) -> io::Result<()> {
        let state = self.state();
        let has_key = |centre: &&DcOption| centre.auth_key.is_some();
        let mut centres: Vec<_> = state.centres.values().filter(has_key).cloned().collect();
        centres.sort_by_key(|centre| centre.id);
        let peers = state.order.iter().filter_map(|id| state.peers.get(id)).cloned();
        let kept = SessionRecord {
            centres,
            peers: peers.collect(),
            ..state.kept.clone()
        };
        drop(state);
        file::write(&self.path, &kept)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// The access hash of a person or a supergroup, as far as it is known.
    pub(super) fn hash(&self, peer: PeerId) -> i64 {
        let state = self.state();
        let auth = state.peers.get(&peer).and_then(PeerInfo::auth);
        auth.unwrap_or_default().hash()
    }

    /// Notes a peer, or what is new about it.
    pub(super) fn note(&self, peer: &PeerInfo) {
        let mut state = self.state();
        let id = peer.id();
        if let Some(known) = state.peers.get_mut(&id) {
            known.extend_info(peer);
        } else {
            state.peers.insert(id, peer.clone());
            state.order.push_back(id);
        }
        if state.order.len() > MOST_PEERS
            && let Some(oldest) = state.order.pop_front()
        {
            state.peers.remove(&oldest);
        }
    }

    fn state(&self) -> MutexGuard<'_, SessionState> {
        // Whole after every change, so that a panic elsewhere does not matter here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets the address of a data centre.
fn point(centre: &mut DcOption, at: SocketAddr) {
    match at {
        SocketAddr::V4(at) => {
            centre.ipv4 = at;
            centre.ipv6.set_ip(at.ip().to_ipv6_mapped());
            centre.ipv6.set_port(at.port());
        }
        SocketAddr::V6(at) => centre.ipv6 = at,
    }
}

impl Session for AccountSession {
    type Error = Infallible;

    fn home_dc_id(&self) -> Result<i32, Infallible> {
        Ok(self.state().kept.home)
    }

    fn set_home_dc_id(&self, id: i32) -> BoxFuture<'_, Result<(), Infallible>> {
        self.state().kept.home = id;
        Box::pin(ready(Ok(())))
    }

    fn dc_option(&self, id: i32) -> Result<Option<DcOption>, Infallible> {
        Ok(self.state().centres.get(&id).cloned())
    }

    fn set_dc_option(&self, centre: &DcOption) -> BoxFuture<'_, Result<(), Infallible>> {
        self.state().centres.insert(centre.id, centre.clone());
        Box::pin(ready(Ok(())))
    }

    fn peer(&self, peer: PeerId) -> BoxFuture<'_, Result<Option<PeerInfo>, Infallible>> {
        let state = self.state();
        let own = state.kept.account.and_then(PeerId::user);
        let id = if peer == PeerId::self_user() {
            own
        } else {
            Some(peer)
        };
        let found = id.and_then(|id| state.peers.get(&id)).cloned();
        Box::pin(ready(Ok(found)))
    }

    fn cache_peer(&self, peer: PeerInfo) -> BoxFuture<'_, Result<(), Infallible>> {
        self.note(&peer);
        Box::pin(ready(Ok(())))
    }

    fn updates_state(&self) -> BoxFuture<'_, Result<UpdatesState, Infallible>> {
        let updates = self.state().kept.updates.clone();
        Box::pin(ready(Ok(updates)))
    }

    fn set_update_state(&self, update: UpdateState) -> BoxFuture<'_, Result<(), Infallible>> {
        let updates = &mut self.state().kept.updates;
        match update {
            UpdateState::All(all) => *updates = all,
            UpdateState::Primary { pts, date, seq } => {
                (updates.pts, updates.date, updates.seq) = (pts, date, seq);
            }
            UpdateState::Secondary { qts } => updates.qts = qts,
            UpdateState::Channel { id, pts } => {
                updates.channels.retain(|channel| channel.id != id);
                updates.channels.push(ChannelState { id, pts });
            }
        }
        Box::pin(ready(Ok(())))
    }
}
