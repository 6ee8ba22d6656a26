//! Channels as cards, and what a person does with them.

use super::{Backend, demo::DemoPlayer, naming::backends_in_words};
use crate::failure;
use foldback_pipeline::config::{ChannelConfig, Disable};
use foldback_wire::{
    ChannelId,
    rpc::{ArmChannel, ChannelCard, Failure, Mute, ReleaseHeld, Status, SwitchChannel},
};

impl Backend {
    pub(super) async fn cards(&self) -> Result<Vec<ChannelCard>, Failure> {
        let outgoing = self.outgoing().await?;
        let mut cards = Vec::new();
        for channel in self.shared.engine.channels().channels() {
            let id = channel.id();
            cards.push(self.card_with(id, outgoing.get(id).copied().unwrap_or_default())?);
        }
        Ok(cards)
    }

    async fn card(&self, id: &ChannelId) -> Result<ChannelCard, Failure> {
        let outgoing = self.outgoing().await?;
        self.card_with(id, outgoing.get(id).copied().unwrap_or_default())
    }

    /// The card of a channel on which so many operations go out by themselves.
    fn card_with(&self, id: &ChannelId, outgoing: u64) -> Result<ChannelCard, Failure> {
        let channel = self.known(id)?;
        let status = channel.status();
        let shared = &self.shared;
        let settings = shared.config.channels.get(id);
        let closed = ChannelConfig::default();
        let who = settings.unwrap_or(&closed);
        let disabled = shared.config.output_of(id).disable;
        let (counters, errors) = {
            let digest = self.digest();
            (digest.counters(id), digest.errors(id))
        };
        let needs_consent = shared.engine.asking(id).len() as u64;
        Ok(ChannelCard {
            channel: id.clone(),
            simulated: settings.is_some_and(|c| c.is_simulated(id)),
            state: status.state,
            since: status.since,
            why: status.why,
            on: status.state != foldback_wire::ChannelState::Off,
            armed: status.armed,
            capabilities: self.capabilities(id),
            disabled: disabled.into_iter().filter_map(name).collect(),
            allow_from: settings.map(|c| c.allow_from.clone()).unwrap_or_default(),
            direct: who.direct_in_words(),
            groups: who.groups_in_words(),
            limited_until: status.until,
            needs_consent,
            messages_need_consent: shared.engine.aged_messages(id) as u64,
            outgoing,
            consent_after_ms: u64::try_from(shared.config.outbox.max_age.0.as_millis()).unwrap_or(u64::MAX),
            counters,
            errors,
        })
    }

    pub(super) async fn switch(&self, wish: SwitchChannel) -> Result<ChannelCard, Failure> {
        let SwitchChannel { channel, on } = wish;
        let why = if on {
            "switched on by hand"
        } else {
            "switched off by hand"
        };
        let engine = &self.shared.engine;
        engine
            .toggle(&channel, on, self.shared.actor.clone(), why)
            .await
            .map_err(|_| failure::no_channel(&channel))?;
        self.card(&channel).await
    }

    pub(super) async fn arm(&self, wish: ArmChannel) -> Result<ChannelCard, Failure> {
        let ArmChannel {
            channel,
            armed,
            confirm,
        } = wish;
        self.known(&channel)?;
        if armed && confirm != channel.as_str() {
            return Err(failure::not_confirmed(&channel));
        }
        self.shared
            .engine
            .arm(&channel, armed, self.shared.actor.clone())
            .map_err(|_| failure::no_channel(&channel))?;
        self.card(&channel).await
    }

    pub(super) fn mute_all(&self, wish: &Mute) -> Status {
        self.shared.engine.mute(wish.muted, self.shared.actor.clone());
        self.figures()
    }

    pub(super) async fn release(&self, wish: ReleaseHeld) -> Result<ChannelCard, Failure> {
        let ReleaseHeld { channel, send } = wish;
        self.settle_held(&channel, send, &self.shared.actor)?;
        self.card(&channel).await
    }

    /// The figures of the top bar.
    pub(super) fn figures(&self) -> Status {
        let shared = &self.shared;
        let channels = shared.engine.channels().channels();
        let armed = channels
            .iter()
            .filter(|c| c.status().armed && !shared.loopbacks.contains_key(c.id()));
        let digest = self.digest();
        Status {
            workspace: shared.workspace.clone(),
            configuration: shared
                .configuration
                .as_ref()
                .map(|file| file.display().to_string()),
            replayed: shared.replayed,
            agents: backends_in_words(&shared.config),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            armed: armed.map(|c| c.id().clone()).collect(),
            channels: channels.len() as u32,
            muted: channels.iter().any(|c| c.status().muted),
            events_per_second: digest.events_per_second(shared.clock.now()),
            dropped: shared.views.dropped(),
            p95_turn_ms: digest.p95_turn_ms(),
            running: digest.running(),
            waiting: digest.waiting(),
            unknown: digest.unknown().operations(),
            unknown_turns: digest.unknown().turns(),
            leaks: digest.leaks(),
            masked: digest.masked(),
            faults: self.faults_to_come(),
            since: digest.since().unwrap_or_else(|| shared.clock.now()),
            head: shared.journal.head().0,
            stopped: shared.stopped.get().map(ToString::to_string),
            demo: shared.demo.as_ref().map(DemoPlayer::state),
        }
    }
}

/// The name of a disabled operation in the configuration.
fn name(what: Disable) -> Option<String> {
    serde_json::to_value(what).ok()?.as_str().map(str::to_owned)
}
