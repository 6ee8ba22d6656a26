//! The demonstration: a conversation on five channels, so that a start without a configuration has something to show.
//!
//! It plays in rounds. A round takes half a minute and ends with an answer; then nothing comes in for [`REST`], so that
//! what happened can be read. After [`ROUNDS`] rounds it ends by itself: a window that stands open over night does not
//! fill the journal. A person pauses it, goes on, or begins again at any time; every order changes the one
//! [`DemoCourse`], which the player watches, so that no order is lost and none begins a second player.

use super::Backend;
use crate::failure;
use foldback_agents::demo::{self, DemoTurn, id_in_round};
use foldback_pipeline::config::Config;
use foldback_wire::{
    ChannelId, ChatId, ChatType, Inbound, Sender, Timestamp,
    rpc::{DemoPhase, DemoPlay, DemoState, DemoTopic, Failure, Status},
};
use std::{fs, path::Path, time::Duration};
use tokio::sync::watch;

/// Rounds until it ends by itself: about nine minutes, and some 5,000 events.
const ROUNDS: u32 = 10;
/// Between the last answer of a round and the next round.
const REST: Duration = Duration::from_secs(25);
/// After the last answer's text until its deliveries are over.
const SETTLING: Duration = Duration::from_secs(2);

/// When the demonstration begins by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DemoStart {
    /// One round, while the journal has no message yet: where nobody may be there to pause it.
    FirstStart,
    /// All its rounds, at every start.
    EveryStart,
}

/// Player of the demonstration, and the place it stands at.
pub(super) struct DemoPlayer {
    turns: Vec<DemoTurn>,
    course: watch::Sender<DemoCourse>,
}

/// Place of the demonstration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DemoCourse {
    phase: DemoPhase,
    round: u32,
    rounds: u32,
    /// The message that comes next; behind the last one, its answer is under way.
    next: usize,
    /// Makes the ids of this round's messages fresh.
    fresh: Option<u64>,
    next_round_at: Option<Timestamp>,
    /// Orders of a person so far. A step that began before the latest one changes no phase.
    orders: u64,
}

impl DemoCourse {
    fn begin_again(&mut self) {
        self.rounds = ROUNDS;
        self.begin(1);
    }

    fn begin(&mut self, round: u32) {
        self.phase = DemoPhase::Playing;
        self.round = round;
        self.next = 0;
        self.next_round_at = None;
    }

    /// Ends a round, and the demonstration with its last one.
    fn end_round(&mut self, now: Timestamp) {
        if self.round < self.rounds {
            self.phase = DemoPhase::BetweenRounds;
            self.next_round_at = Some(now.plus(REST));
        } else {
            self.phase = DemoPhase::Ended;
        }
    }
}

impl DemoPlayer {
    /// Lays the files that the demonstration sends, and makes its player where all channels are simulated.
    pub(super) fn prepare(config: &Config, base: &Path, start: DemoStart, first_start: bool) -> Option<Self> {
        lay_files(config, base);
        all_simulated(config).then(|| Self::new(start, first_start))
    }

    /// The demonstration, which begins as `start` says. Broken text, which a test excludes, has no messages.
    fn new(start: DemoStart, first_start: bool) -> Self {
        let turns = demo::load().map_or_else(
            |error| {
                tracing::error!(%error, "the demonstration cannot be read");
                Vec::new()
            },
            |demo| demo.turns,
        );
        let rounds = match start {
            DemoStart::FirstStart => first_start.then_some(1),
            DemoStart::EveryStart => Some(ROUNDS),
        };
        let mut course = DemoCourse {
            phase: DemoPhase::Ended,
            round: 0,
            rounds: rounds.unwrap_or(ROUNDS),
            next: 0,
            fresh: None,
            next_round_at: None,
            orders: 0,
        };
        if rounds.is_some() {
            course.begin(1);
        }
        Self {
            turns,
            course: watch::Sender::new(course),
        }
    }

    /// Lists the topics of the guided tour, each with the channel and the text of the message that shows it.
    pub(super) fn stops(&self) -> impl Iterator<Item = (DemoTopic, &ChannelId, &str)> {
        self.turns
            .iter()
            .filter_map(|turn| Some((turn.shows?, &turn.channel, turn.user.text.as_str())))
    }

    pub(super) fn state(&self) -> DemoState {
        let course = *self.course.borrow();
        DemoState {
            phase: course.phase,
            round: course.round,
            rounds: course.rounds,
            written: course.next.min(self.turns.len()) as u32,
            messages: self.turns.len() as u32,
            next_round_at: course.next_round_at,
        }
    }

    /// Time until the next step: a message, or the end of the last answer.
    fn wait_for(&self, next: usize) -> Duration {
        match (self.turns.get(next), self.turns.last()) {
            (Some(turn), _) => Duration::from_millis(turn.after_ms),
            (None, Some(last)) => last.answer_time() + SETTLING,
            (None, None) => Duration::ZERO,
        }
    }

    fn play(&self, DemoPlay { from_start }: DemoPlay) {
        self.course.send_if_modified(|course| {
            let over = course.next >= self.turns.len();
            match course.phase {
                _ if from_start => course.begin_again(),
                DemoPhase::Playing | DemoPhase::BetweenRounds => return false,
                DemoPhase::Ended => course.begin_again(),
                DemoPhase::Paused if over && course.round >= course.rounds => course.begin_again(),
                DemoPhase::Paused if over => course.begin(course.round + 1),
                DemoPhase::Paused => course.phase = DemoPhase::Playing,
            }
            course.orders += 1;
            true
        });
    }

    fn pause(&self) {
        self.course.send_if_modified(|course| {
            if matches!(course.phase, DemoPhase::Paused | DemoPhase::Ended) {
                return false;
            }
            course.phase = DemoPhase::Paused;
            course.next_round_at = None;
            course.orders += 1;
            true
        });
    }
}

/// True where no channel can reach a platform.
fn all_simulated(config: &Config) -> bool {
    let mut channels = config.channels.iter();
    channels.all(|(name, channel)| channel.is_simulated(name))
}

/// Puts the files that the demonstration sends into the folder for outbound files: its script also answers whoever writes on
/// a real channel beside it. It runs without them: the journal then says which file was missing.
fn lay_files(config: &Config, base: &Path) {
    let folder = base.join(&config.files.send_dir);
    for file in demo::FILES {
        let path = folder.join(file.path);
        if !path.exists()
            && let Err(error) = fs::create_dir_all(&folder).and_then(|()| fs::write(&path, file.content))
        {
            tracing::warn!(path = %path.display(), %error, "a file of the demonstration is missing");
        }
    }
}

impl Backend {
    pub(super) fn play_demo(&self, wish: DemoPlay) -> Result<Status, Failure> {
        self.shared.demo.as_ref().ok_or_else(failure::no_demo)?.play(wish);
        Ok(self.figures())
    }

    pub(super) fn pause_demo(&self) -> Result<Status, Failure> {
        self.shared.demo.as_ref().ok_or_else(failure::no_demo)?.pause();
        Ok(self.figures())
    }

    /// Lets the demonstration take its course, as it is ordered. `fresh_journal`: no message has ever come in, so that
    /// the first round may have the ids that its text names.
    pub(super) async fn perform_demo(self, mut fresh_journal: bool) {
        let Some(player) = &self.shared.demo else {
            return;
        };
        let clock = &self.shared.clock;
        let mut course = player.course.subscribe();
        loop {
            let now = *course.borrow_and_update();
            let wait = match now.phase {
                DemoPhase::Playing => Some(player.wait_for(now.next)),
                DemoPhase::BetweenRounds => now.next_round_at.map(|at| at.since(clock.now())),
                DemoPhase::Paused | DemoPhase::Ended => None,
            };
            let Some(wait) = wait else {
                if course.changed().await.is_err() {
                    return;
                }
                continue;
            };
            tokio::select! {
                biased;
                changed = course.changed() => if changed.is_err() {
                    return;
                },
                () = clock.sleep_until(clock.now().plus(wait)) => self.step_demo(player, now, &mut fresh_journal),
            }
        }
    }

    /// Takes the step that was waited for: the next message, the end of a round, or the next round.
    fn step_demo(&self, player: &DemoPlayer, now: DemoCourse, fresh_journal: &mut bool) {
        let mut after = now;
        match (now.phase, player.turns.get(now.next)) {
            (DemoPhase::BetweenRounds, _) => after.begin(now.round + 1),
            (_, None) => after.end_round(self.shared.clock.now()),
            (_, Some(turn)) => {
                if now.next == 0 {
                    after.fresh = (!*fresh_journal).then(|| self.shared.journal.head().0);
                    *fresh_journal = false;
                }
                after.next += 1;
                self.write_demo_message(turn.clone(), after.fresh);
            }
        }
        player.course.send_if_modified(|course| {
            if course.orders == now.orders {
                *course = after;
                return true;
            }
            // A person ordered something else meanwhile. What was written stays written.
            let place = |course: &DemoCourse| (course.round, course.next, course.fresh);
            if place(course) == place(&now) {
                (course.next, course.fresh) = (after.next, after.fresh);
            }
            false
        });
        if after.phase == DemoPhase::Ended {
            tracing::info!(
                rounds = after.rounds,
                "the demonstration is over; it can be played again"
            );
        }
    }

    fn write_demo_message(&self, turn: DemoTurn, fresh: Option<u64>) {
        let Some(channel) = self.shared.loopbacks.get(&turn.channel) else {
            return;
        };
        if let Some(refusal) = turn.refusal.clone() {
            channel.platform().plan_from_now(refusal);
        }
        if let Err(error) = channel.inject(self.demo_message(turn, fresh)) {
            tracing::warn!(%error, "a message of the demonstration is left out");
        }
    }

    fn demo_message(&self, turn: DemoTurn, fresh: Option<u64>) -> Inbound {
        let DemoTurn { channel, user, .. } = turn;
        let chat = match user.chat {
            ChatType::Direct => ChatId::new(user.from.clone()),
            ChatType::Group => ChatId::new("weekend"),
        };
        Inbound {
            channel,
            account: None,
            chat,
            chat_type: user.chat,
            thread: None,
            message: id_in_round(&user.id, fresh),
            reply_to: user.reply_to.map(|id| id_in_round(&id, fresh)),
            sender: Sender {
                id: user.from.clone().into(),
                name: user.from,
                display_name: user.display_name,
                is_bot: user.is_bot,
            },
            text: user.text,
            mentioned: true,
            forwarded: false,
            files: Vec::new(),
            at: self.shared.clock.now(),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
        }
    }
}
