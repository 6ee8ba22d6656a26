//! Plays a fixture on a channel: its steps as people, the agent and the operator take them.

use crate::{
    case::Case,
    clock::Speed,
    fixture::{ConsoleStep, DeliverStep, Fixture, FixtureStep, PermitStep, Switch, UserStep},
    judge::{Played, judge},
    stage::{EPOCH, Mutation, Props, ScriptedAnswer, Stage, StageError},
};
use foldback_channels::Loopback;
use foldback_pipeline::Rejected;
use foldback_store::Journal;
use foldback_wire::{
    Actor, ChannelId, ChatType, Clock, Event, Inbound, Kind, MessageId, Platform, Sender, Seq, TurnId,
    rpc::{Pairings, PendingPermission},
};
use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::Arc,
    time::Duration,
};

/// Longest a scenario may take after its last step. Longer than any limit of the pipeline, so that whatever
/// still hangs then would hang for ever.
const PATIENCE: Duration = Duration::from_hours(2);

/// Chance of a run that ends in order: what the script still has to say is given this long.
const GRACE: Duration = Duration::from_mins(1);

/// How to run.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How fast.
    pub speed: Speed,
    /// Rules switched off.
    pub mutation: Mutation,
}

/// Runs one fixture on one channel. Blocks; brings its own runtime and clock, so cases can run side by side.
pub fn run(
    path: &Path,
    fixture: &Fixture,
    platform: Platform,
    options: &Options,
) -> Result<Played, Box<Case>> {
    let failed = |message: String| Box::new(Case::error(&fixture.name, path, platform.code(), message));
    let runtime = options
        .speed
        .runtime()
        .map_err(|error| failed(format!("no runtime: {error}")))?;
    let events = runtime
        .block_on(async {
            let clock = options.speed.clock(EPOCH);
            let props = Props::of(fixture, platform)?;
            let stage = Stage::set(props, Arc::clone(&clock), &options.mutation).await?;
            play(&stage, fixture, clock.as_ref()).await
        })
        .map_err(|error: StageError| failed(error.to_string()))?;
    Ok(judge(path, fixture, platform, events))
}

/// Plays the steps, waits until all is quiet, ends the bot; answers with its journal.
async fn play(stage: &Stage, fixture: &Fixture, clock: &dyn Clock) -> Result<Vec<Event>, StageError> {
    let mut messages = 0_usize;
    let mut answers = plan(&fixture.steps);
    let (mut after_answer, mut has_ended) = (false, false);
    let (mut latest, mut deliveries) = (None, 0_usize);
    for (index, step) in fixture.steps.iter().enumerate() {
        match step {
            FixtureStep::User(user) => {
                // Right after an answer the next message comes when the conversation is quiet; a scenario
                // that wants it earlier says when with `wait_ms`.
                if after_answer {
                    quiet(stage, clock).await;
                }
                messages += 1;
                let (channel, loopback) = stage.channel_on(user.channel);
                let inbound = inbound(user, messages, (channel, loopback), clock);
                latest = Some(inbound.clone());
                let answers = answers.remove(&index).unwrap_or_default();
                for (nth, answer) in answers.into_iter().enumerate() {
                    // Behind the first come those of the turns that deliver what its actions came to.
                    let message = (nth == 0 || fixture.commands.is_none()).then_some(&inbound.message);
                    stage.queue(message, answer);
                }
                if has_ended {
                    let begun = stage.engine.submit(inbound).await;
                    begun.map_err(|error| StageError::Start(error.into()))?;
                } else if loopback.inject(inbound).is_err() {
                    return Err(StageError::Config(
                        "more messages at once than a channel takes".to_owned(),
                    ));
                }
            }
            FixtureStep::Schedule(name) => {
                if after_answer {
                    quiet(stage, clock).await;
                }
                for answer in answers.remove(&index).unwrap_or_default() {
                    stage.queue(None, answer);
                }
                let begun = stage.engine.run_schedule(name, Actor::Console).await;
                begun.map_err(|fault| StageError::Config(format!("schedule: {fault}")))?;
            }
            FixtureStep::Deliver(delivery) => {
                if after_answer {
                    quiet(stage, clock).await;
                }
                // One that begins no turn asks no agent.
                let answered = answers.remove(&index).unwrap_or_default();
                if delivery.refused.is_none() && !delivery.before {
                    for answer in answered {
                        stage.queue(None, answer);
                    }
                }
                deliveries += 1;
                deliver(stage, delivery, latest.as_ref(), deliveries).await?;
            }
            FixtureStep::Agent(_)
            | FixtureStep::Fallback(_)
            | FixtureStep::Approve(_)
            | FixtureStep::Refuse(_)
            | FixtureStep::Revoke(_) => {}
            FixtureStep::Permit(permit) => permit_oldest(stage, *permit, clock).await?,
            FixtureStep::Console(ConsoleStep::End) => {
                let ended = stage.engine.shutdown(GRACE).await;
                ended.map_err(|error| StageError::Start(error.into()))?;
                has_ended = true;
            }
            FixtureStep::Console(what) => at_the_console(stage, *what).await?,
            FixtureStep::WaitMs(ms) => {
                clock
                    .sleep_until(clock.now().plus(Duration::from_millis(*ms)))
                    .await;
            }
            FixtureStep::Switch(switch) => {
                let on = *switch == Switch::On;
                // The channel is the stage's own, so it exists.
                let _ = stage
                    .engine
                    .toggle(&stage.channel, on, Actor::Console, "the scenario says so")
                    .await;
            }
        }
        after_answer = matches!(step, FixtureStep::Agent(_) | FixtureStep::Fallback(_));
        operate(stage, step, clock).await?;
    }
    end(stage, clock).await
}

/// Delivers what a step says, and sees to it that it fares as the step says.
async fn deliver(
    stage: &Stage,
    step: &DeliverStep,
    latest: Option<&Inbound>,
    number: usize,
) -> Result<(), StageError> {
    let wrong = |why: String| Err(StageError::Config(format!("deliver: {why}")));
    let Some(message) = latest else {
        return wrong("no message comes before it".to_owned());
    };
    match (
        stage.engine.deliver(step.request(message, number)).await,
        step.refused,
    ) {
        (Ok(accepted), None) if accepted.begun.is_none() == step.before => Ok(()),
        (Ok(accepted), None) if step.before => wrong(format!("turn {} is new", accepted.turn)),
        (Ok(accepted), None) => wrong(format!("it was accepted before, as turn {}", accepted.turn)),
        (Ok(accepted), Some(reason)) => wrong(format!(
            "it is turn {}, and was to be refused: {reason}",
            accepted.turn
        )),
        (Err(Rejected::Refused(refused)), Some(reason)) if refused.reason == reason => Ok(()),
        (Err(Rejected::Refused(refused)), _) => {
            wrong(format!("refused: {}: {}", refused.reason, refused.detail))
        }
        (Err(Rejected::Store(error)), _) => Err(StageError::Start(error.into())),
    }
}

/// How long a request may take to come that a person is about to answer, in milliseconds: the agent asks in the
/// moment in which its script says so, and this one may be the same.
const ASKING_MS: u32 = 5;

/// Waits for a request that is to be answered now.
pub(crate) async fn asked(
    stage: &Stage,
    clock: &dyn Clock,
    which: impl Fn(&PendingPermission) -> bool,
) -> Option<PendingPermission> {
    for _ in 0..ASKING_MS {
        let waiting = stage.engine.permissions();
        if let Some(found) = waiting.into_iter().find(&which) {
            return Some(found);
        }
        clock
            .sleep_until(clock.now().plus(Duration::from_millis(1)))
            .await;
    }
    None
}

async fn permit_oldest(stage: &Stage, permit: PermitStep, clock: &dyn Clock) -> Result<(), StageError> {
    let wrong = |why: String| StageError::Config(format!("permit: {why}"));
    let Some(pending) = asked(stage, clock, |_| true).await else {
        return Err(wrong("nothing is asked at this moment".to_owned()));
    };
    let options = &pending.request.options;
    let option = match permit.kind() {
        None => None,
        Some(kind) => {
            let found = options.iter().find(|option| option.kind == kind);
            let found = found.ok_or_else(|| wrong(format!("the agent offers no {kind}")))?;
            Some(found.id.as_str())
        }
    };
    let (turn, id) = (pending.turn, &pending.request.id);
    let decided = stage.engine.decide_permission(turn, id, option, Actor::Console);
    decided.map_err(|fault| wrong(fault.to_string()))
}

async fn at_the_console(stage: &Stage, what: ConsoleStep) -> Result<(), StageError> {
    let failed = |error: foldback_store::StoreError| StageError::Start(error.into());
    let by = Actor::Console;
    for line in stage.engine.sessions(usize::MAX).await.map_err(failed)?.sessions {
        match what {
            ConsoleStep::Cancel => stage.engine.cancel_session(&line.session, None, &by).map(drop),
            ConsoleStep::Drop => stage.engine.drop_waiting(&line.session, None, &by).map(drop),
            ConsoleStep::Reset => stage.engine.reset_session(&line.session, by.clone()).await,
            // It is no conversation's.
            ConsoleStep::End => Ok(()),
        }
        .map_err(failed)?;
    }
    Ok(())
}

/// What an operator does about somebody unknown, once what came before is over.
async fn operate(stage: &Stage, step: &FixtureStep, clock: &dyn Clock) -> Result<(), StageError> {
    let (FixtureStep::Approve(person) | FixtureStep::Refuse(person) | FixtureStep::Revoke(person)) = step
    else {
        return Ok(());
    };
    quiet(stage, clock).await;
    if matches!(step, FixtureStep::Revoke(_)) {
        let (engine, channel) = (&stage.engine, &stage.channel);
        let revoked = engine.revoke_pairing(channel, person, Actor::Console).await;
        return revoked.map_err(|fault| StageError::Config(fault.to_string()));
    }
    let listed = stage.engine.pairings().pending;
    // An operator who goes through the list does not see who gave way.
    if listed.iter().any(|request| request.sender == *person) {
        decide(stage, person, matches!(step, FixtureStep::Approve(_))).await?;
    }
    Ok(())
}

/// Decides about somebody who was told a code; about nobody, where nobody was.
pub(crate) async fn decide(
    stage: &Stage,
    person: &foldback_wire::UserId,
    approve: bool,
) -> Result<(), StageError> {
    let Pairings {
        pending, replaced, ..
    } = stage.engine.pairings();
    let mut known = pending.iter().chain(replaced.iter().map(|gone| &gone.request));
    let Some(request) = known.find(|request| request.sender == *person) else {
        return Ok(());
    };
    let decided = stage
        .engine
        .decide_pairing(&request.code, approve, Actor::Console);
    decided
        .await
        .map_err(|fault| StageError::Config(fault.to_string()))
}

/// Waits until all is quiet, ends the bot; answers with its journal.
pub(crate) async fn end(stage: &Stage, clock: &dyn Clock) -> Result<Vec<Event>, StageError> {
    quiet(stage, clock).await;
    if let Err(error) = stage.engine.shutdown(GRACE).await {
        return Err(StageError::Start(error.into()));
    }
    let all = stage.journal.read(Seq(1), usize::MAX).await;
    all.map_err(|error| StageError::Start(error.into()))
}

/// Which message or schedule (by its step) gets which answer: a run of `agent` steps answers the last messages before it
/// that have no answer yet, in order. More answers than messages are dealt out again: a message may be given to the agent
/// twice.
fn plan(steps: &[FixtureStep]) -> BTreeMap<usize, Vec<ScriptedAnswer>> {
    let mut open: Vec<usize> = Vec::new();
    let mut run: Vec<ScriptedAnswer> = Vec::new();
    let mut plan = BTreeMap::<usize, Vec<_>>::new();
    let mut assign = |open: &mut Vec<usize>, run: &mut Vec<ScriptedAnswer>| {
        let first = open.len().saturating_sub(run.len());
        let answered: Vec<_> = open.drain(first..).collect();
        for (index, answer) in answered.iter().cycle().zip(run.drain(..)) {
            plan.entry(*index).or_default().push(answer);
        }
    };
    for (index, step) in steps.iter().enumerate() {
        match step {
            FixtureStep::User(_) | FixtureStep::Schedule(_) | FixtureStep::Deliver(_) => {
                assign(&mut open, &mut run);
                open.push(index);
            }
            FixtureStep::Agent(steps) => run.push(ScriptedAnswer {
                steps: steps.clone(),
                fallback: None,
            }),
            FixtureStep::Fallback(steps) => {
                if let Some(answer) = run.last_mut() {
                    answer.fallback = Some(steps.clone());
                }
            }
            FixtureStep::WaitMs(_)
            | FixtureStep::Switch(_)
            | FixtureStep::Approve(_)
            | FixtureStep::Refuse(_)
            | FixtureStep::Revoke(_)
            | FixtureStep::Permit(_)
            | FixtureStep::Console(_) => {}
        }
    }
    assign(&mut open, &mut run);
    plan
}

fn inbound(
    user: &UserStep,
    number: usize,
    (channel, loopback): (ChannelId, &Loopback),
    clock: &dyn Clock,
) -> Inbound {
    let chat = match user.chat {
        ChatType::Direct => format!("direct-{}", user.from),
        ChatType::Group => "group".to_owned(),
    };
    Inbound {
        channel,
        account: None,
        chat: chat.into(),
        chat_type: user.chat,
        thread: user.thread.clone(),
        message: user
            .id
            .clone()
            .unwrap_or_else(|| MessageId::from(format!("m{number}"))),
        reply_to: user.reply_to.clone(),
        sender: Sender {
            id: user.from.clone(),
            name: user.from.as_str().to_owned(),
            display_name: user.from.as_str().to_owned(),
            is_bot: user.is_bot,
        },
        text: user.text.clone(),
        mentioned: user.mentioned,
        forwarded: user.forwarded,
        files: user
            .files
            .iter()
            .map(|file| file.send(|bytes| loopback.platform().keep(bytes)))
            .collect(),
        at: clock.now().minus(Duration::from_millis(user.age_ms.into())),
        dry_run: user.dry_run,
        at_by_device: false,
        omitted: None,
        context: user.context.clone().and_then(|context| context.bounded()),
    }
}

/// Waits until no turn runs and no operation is open, or until patience ends: what is held for a person, or
/// because the channel is off, never ends by itself.
pub(crate) async fn quiet(stage: &Stage, clock: &dyn Clock) {
    let deadline = clock.now().plus(PATIENCE);
    let mut head = stage.journal.watch();
    let mut open = Open::default();
    loop {
        // The message that was just injected is on its way through the channel's task: let it arrive.
        clock
            .sleep_until(clock.now().plus(Duration::from_millis(1)))
            .await;
        open.read(stage).await;
        if open.nothing() {
            return;
        }
        tokio::select! {
            biased;
            changed = head.changed() => if changed.is_err() { return },
            () = clock.sleep_until(deadline) => return,
        }
    }
}

/// Turns and operations that have begun and not ended.
#[derive(Default)]
struct Open {
    read: u64,
    turns: HashSet<TurnId>,
    ops: HashSet<foldback_wire::OpId>,
}

impl Open {
    async fn read(&mut self, stage: &Stage) {
        let events = stage
            .journal
            .read(Seq(self.read + 1), usize::MAX)
            .await
            .unwrap_or_default();
        for event in events {
            self.read = event.seq.0;
            match (&event.kind, event.turn) {
                (Kind::Received { .. }, Some(turn)) => {
                    self.turns.insert(turn);
                }
                (Kind::TurnEnded { .. }, Some(turn)) => {
                    self.turns.remove(&turn);
                }
                (Kind::Intended { op, .. }, _) => {
                    self.ops.insert(*op);
                }
                (Kind::Ended { op, .. }, _) => {
                    self.ops.remove(op);
                }
                _ => {}
            }
        }
    }

    fn nothing(&self) -> bool {
        self.turns.is_empty() && self.ops.is_empty()
    }
}
