//! Conversations and requests for permission, as an operator sees and decides them.

use super::Backend;
use crate::failure;
use foldback_wire::{
    SessionId,
    rpc::{
        Failure, PendingPermission, PermissionDecide, SessionCancel, SessionDetail, SessionDrop, SessionLine,
        SessionList, SessionQuery, SessionReorder,
    },
};

/// Most conversations of one answer.
const MOST: u32 = 500;

impl Backend {
    pub(super) fn decide_permission(
        &self,
        wish: &PermissionDecide,
    ) -> Result<Vec<PendingPermission>, Failure> {
        let PermissionDecide {
            turn,
            permission,
            option,
        } = wish;
        let engine = &self.shared.engine;
        let by = self.shared.actor.clone();
        engine
            .decide_permission(*turn, permission, option.as_deref(), by)
            .map_err(|fault| failure::no_permission(&fault))?;
        Ok(engine.permissions())
    }

    pub(super) async fn list_sessions(&self, query: SessionQuery) -> Result<SessionList, Failure> {
        let limit = usize::try_from(query.limit.min(MOST)).unwrap_or(usize::MAX);
        self.shared.engine.sessions(limit).await.map_err(failure::journal)
    }

    pub(super) async fn cancel_session(&self, which: &SessionCancel) -> Result<SessionLine, Failure> {
        let SessionCancel { session, turn } = which;
        self.session(session).await?;
        let engine = &self.shared.engine;
        let stopped = engine.cancel_session(session, *turn, &self.shared.actor);
        if !stopped.map_err(failure::journal)? {
            return Err(failure::nothing_to_stop(session, *turn));
        }
        self.session(session).await
    }

    pub(super) async fn drop_waiting(&self, which: &SessionDrop) -> Result<SessionLine, Failure> {
        let SessionDrop { session, turns } = which;
        let engine = &self.shared.engine;
        let dropped = engine.drop_waiting(session, turns.as_deref(), &self.shared.actor);
        dropped.map_err(failure::journal)?;
        self.session(session).await
    }

    pub(super) async fn reset_session(&self, session: &SessionId) -> Result<SessionLine, Failure> {
        // Whoever names one that is not there changes nothing.
        self.session(session).await?;
        let by = self.shared.actor.clone();
        let reset = self.shared.engine.reset_session(session, by).await;
        reset.map_err(failure::journal)?;
        self.session(session).await
    }

    pub(super) async fn session_detail(&self, session: &SessionId) -> Result<SessionDetail, Failure> {
        let detail = self.shared.engine.session_detail(session);
        let detail = detail.await.map_err(failure::journal)?;
        detail.ok_or_else(|| failure::no_session(session))
    }

    pub(super) async fn reorder_waiting(&self, wish: &SessionReorder) -> Result<SessionDetail, Failure> {
        let SessionReorder { session, turns } = wish;
        self.session(session).await?;
        let by = self.shared.actor.clone();
        let reordered = self.shared.engine.reorder_waiting(session, turns, by);
        reordered.await.map_err(failure::journal)?;
        self.session_detail(session).await
    }

    async fn session(&self, session: &SessionId) -> Result<SessionLine, Failure> {
        let line = self
            .shared
            .engine
            .session(session)
            .await
            .map_err(failure::journal)?;
        line.ok_or_else(|| failure::no_session(session))
    }
}
