//! "Why did my bot (not) say that?" A turn's way as steps, and the first of them that said no.

mod acted;
mod headline;
mod outcome;
mod run;

pub(crate) use run::is_in_run;

use crate::{
    TurnFold,
    doors::{Doors, Kept},
    fold::is_answer,
    step_decision::{StepDecision, waiting_change, waiting_setting},
};
use acted::{is_mended, is_unread_action};
use foldback_pipeline::{NamedSettings, suppressing_setting};
use foldback_store::row;
use foldback_wire::{
    ChannelId, DirectiveScope, Event, FileFate, HoldReason, Kind, OpId, OpKind, Outcome, OutcomeCode, Span,
    Terminal, ToolStatus, TurnId,
    rpc::{DirectiveEntry, LedgerEntry, TurnDetail, Why, WhyStep},
    visible,
};
use outcome::{ended_in_words, explained, noun};

/// Why the turn of these events went as it did; `None` when they hold no message.
pub fn why(turn: TurnId, events: &[Event]) -> Option<Why> {
    why_now(turn, events, &TurnNow::default())
}

/// What is known of the bot as it is now, beside a turn's events.
#[derive(Default)]
pub(crate) struct TurnNow<'a> {
    /// What keeps the turn's channels from sending.
    pub(crate) doors: Doors,
    /// The process is gone that worked on the turn: then a turn without an end does not run.
    pub(crate) is_gone: bool,
    /// The settings by which a turn without an end waits.
    pub(crate) settings: Option<&'a NamedSettings>,
}

/// The same, where that is known.
pub(crate) fn why_now(turn: TurnId, events: &[Event], now: &TurnNow<'_>) -> Option<Why> {
    let fold = TurnFold::of(turn, events);
    let detail = fold.detail()?;
    let way = Way {
        detail: &detail,
        verdict: fold.verdict(),
        channel: detail.inbound.channel.clone(),
        now,
        events,
    };
    let mut steps: Vec<_> = events.iter().filter_map(|event| way.step(event)).collect();
    steps.extend(way.open_hold());
    steps.extend(way.cut_off());
    steps.sort_by_key(|step| step.seq);
    // What was tried again, or mended, did not decide.
    let again = |step: &WhyStep| {
        let place = events.binary_search_by_key(&step.seq, |event| event.seq.0);
        place.is_ok_and(|at| match &events[at].kind {
            Kind::Retrying { .. } => true,
            Kind::ActionRefused(refusal) => is_mended(refusal, &events[at..]),
            _ => false,
        })
    };
    let noes: Vec<_> = steps.iter().filter(|step| step.no && !again(step)).collect();
    let answer = way.with_chain(way.headline(&noes));
    Some(Why { turn, answer, steps })
}

/// A turn's way, with what became of it in the end.
struct Way<'a> {
    detail: &'a TurnDetail,
    /// The sentence about a turn whose answer its actions are, as the Turn view says it.
    verdict: Option<String>,
    channel: ChannelId,
    now: &'a TurnNow<'a>,
    /// Those of the turn.
    events: &'a [Event],
}

/// True for a step on which a message always goes on.
fn only_says_yes(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::InlineDirectives(_)
            | Kind::SettingsChanged { .. }
            | Kind::SettingsResolved { .. }
            | Kind::Command { .. }
            | Kind::Received { .. }
            | Kind::Passed { .. }
            | Kind::Pairing { .. }
            | Kind::Queued { .. }
            | Kind::NotSteered { .. }
            | Kind::Joined { .. }
            | Kind::TakenIn { .. }
            | Kind::GroupHistory { .. }
            | Kind::ThreadRead(_)
            | Kind::LinkRead { .. }
            | Kind::Understood(_)
            | Kind::RunAgain { .. }
            | Kind::Dequeued { .. }
            | Kind::RunStarted { .. }
            | Kind::PermissionAsked { .. }
            | Kind::Directive { .. }
            | Kind::Leaked { .. }
            | Kind::Warned { .. }
            | Kind::TurnEnded { .. }
    )
}

/// What a step says about the answer.
enum Says {
    /// It went on.
    Yes,
    /// Here something ended; with the setting that would change it.
    No(Option<String>),
}

impl Way<'_> {
    fn step(&self, event: &Event) -> Option<WhyStep> {
        let (text, says) = self.read(&event.kind)?;
        let (no, decision) = match says {
            Says::Yes => (false, StepDecision::default()),
            Says::No(setting) => (true, self.decision(&event.kind, setting)),
        };
        let row = row(event, None);
        let StepDecision {
            inputs,
            setting,
            source,
            change,
        } = decision;
        Some(WhyStep {
            seq: row.seq,
            stage: row.stage,
            no,
            text: text.unwrap_or(row.summary),
            inputs,
            setting,
            source,
            change,
        })
    }

    /// What a no was decided from; `setting` would change it, where the event names none.
    fn decision(&self, kind: &Kind, setting: Option<String>) -> StepDecision {
        let sender = visible(self.detail.inbound.sender.id.as_str());
        let told = StepDecision::of(kind, Some(&sender)).unwrap_or_default();
        let told = match kind {
            Kind::PermissionDecided { id, .. } => match self.asked(id) {
                Some(request) => told.given("asks", &request.title).given("does", &request.does),
                None => told,
            },
            Kind::Waiting { reason, .. } => StepDecision {
                change: Some(waiting_change(*reason, setting.as_deref())),
                ..told.given("reason", reason)
            },
            _ => told,
        };
        let told = match told.setting {
            Some(_) => told,
            None => StepDecision { setting, ..told },
        };
        self.with_source_now(told)
    }

    /// What a turn without an end waits for is decided by the settings as they are now.
    fn with_source_now(&self, told: StepDecision) -> StepDecision {
        let is_open = self.detail.summary.terminal.is_none() && !self.now.is_gone;
        let (Some(settings), Some(setting)) = (self.now.settings.filter(|_| is_open), &told.setting) else {
            return told;
        };
        if told.source.is_some() {
            return told;
        }
        let known = settings.deciding(Some(&self.channel), setting);
        told.set_by(None, Some(&known))
    }

    /// What an event means for the answer; `None` for events that have no part in it. The text is that of the
    /// event's row, where there is nothing to add.
    fn read(&self, kind: &Kind) -> Option<(Option<String>, Says)> {
        Some(match kind {
            Kind::TurnEnded {
                terminal: Terminal::Failed { detail },
            } if detail.contains("process ended") && self.was_cut_off() => {
                let text = "Foldback was stopped or killed before the agent was done".to_owned();
                (Some(text), Says::No(None))
            }
            Kind::Queued {
                needs_consent: true, ..
            } if self.detail.summary.queued => {
                let text = "the message waited over a stop for longer than outbox.max_age; only a person gives it to the \
                            agent, or drops it, on the channel's card or with `foldback queue`"
                    .to_owned();
                (Some(text), Says::No(Some("outbox.max_age".to_owned())))
            }
            // Text that was meant as a directive explains an answer that does not obey it.
            Kind::InlineDirectives(read) if read.scope == DirectiveScope::Refused => {
                (None, Says::No(read.setting.clone()))
            }
            Kind::DeliveryDue(_)
            | Kind::DeliveryAccepted(_)
            | Kind::ActionStarted(_)
            | Kind::ActionEnded(_)
            | Kind::ActionAnswered(_)
            | Kind::DeliveryRefused(_)
            | Kind::ActionRefused(_) => return self.acted(kind),
            kind if only_says_yes(kind) => (None, Says::Yes),
            Kind::Evicted { setting, .. } => (None, Says::No(Some(setting.clone()))),
            Kind::Stopping {
                gate,
                detail,
                setting,
                ..
            } => (Some(format!("{gate}: {detail}")), Says::No(setting.clone())),
            Kind::Gathered { fate, setting, .. } => (None, self.left_out(*fate, setting.as_ref())),
            Kind::PermissionDecided { .. }
            | Kind::RunCancelled { .. }
            | Kind::Retrying { .. }
            | Kind::RunFailed { .. }
            | Kind::RunEnded { .. } => return self.of_run(kind),
            Kind::Suppressed { reason, .. } => (
                Some(reason.about().to_owned()),
                Says::No(suppressing_setting(*reason).map(str::to_owned)),
            ),
            Kind::MessageEnded {
                message,
                narration: true,
                ..
            } if !self.was_sent(*message) => {
                let text = format!("message {message} is narration before a tool call, which is hidden here");
                (
                    Some(text),
                    Says::No(Some(format!("channels.{}.narration", self.channel))),
                )
            }
            Kind::Skipped {
                at, outcome, setting, ..
            } => {
                let directive = self
                    .detail
                    .directives
                    .iter()
                    .find(|d| (d.message, d.index) == (at.message, at.index));
                let tag = directive.map_or("directive", |d| d.directive.tag());
                (
                    Some(format!("<{tag}> was not carried out: {}", explained(outcome))),
                    Says::No(setting.clone()),
                )
            }
            kind if is_unread_action(kind) => return self.acted(kind),
            Kind::Diagnosed { message, diagnostic }
                if diagnostic.severity == foldback_wire::Severity::Error
                    && !self.was_skipped(*message, diagnostic.span) =>
            {
                (None, Says::No(None))
            }
            Kind::Waiting {
                op: Some(op), reason, ..
            } if self.open(op.0) => {
                let Kept { text, setting } = self.waits(self.op(op.0)?, *reason);
                (Some(text), Says::No(setting))
            }
            Kind::Waiting {
                op: None,
                reason: reason @ HoldReason::Debounce,
                ..
            } if self.waits_for_more() => {
                let text = "the message waits for more of its sender".to_owned();
                (Some(text), Says::No(waiting_setting(*reason, &self.channel)))
            }
            Kind::Tool { call } if call.status == ToolStatus::Unfinished => {
                let text = format!("the agent called {} and did not tell how that ended", call.name);
                (Some(text), Says::Yes)
            }
            Kind::Truncated { .. } => (None, Says::No(Some("output.max_messages".to_owned()))),
            Kind::Ended { op, outcome } => return self.ended(op.0, outcome),
            Kind::Undelivered { .. } | Kind::Receipt { .. } => self.known_later(kind)?,
            _ => return None,
        })
    }

    /// How an operation ended; nothing for a sign of typing.
    fn ended(&self, op: u64, outcome: &Outcome) -> Option<(Option<String>, Says)> {
        let entry = self.op(op)?;
        if entry.intent.kind == OpKind::Typing {
            return None;
        }
        let text = ended_in_words(entry.intent.kind, outcome);
        let fine = outcome.replaced_by.is_some()
            || matches!(
                outcome.code,
                OutcomeCode::Sent | OutcomeCode::Unchanged | OutcomeCode::Cancelled
            );
        let says = if fine {
            Says::Yes
        } else {
            Says::No(self.outcome_setting(outcome))
        };
        Some((Some(text), says))
    }

    /// What an operation waits for. That its channel is off, muted or not connected is one reason in the journal; which
    /// it is, the channel's own events tell.
    fn waits(&self, entry: &LedgerEntry, reason: HoldReason) -> Kept {
        let channel = entry.intent.channel.as_ref().unwrap_or(&self.channel);
        let kept = (reason == HoldReason::ChannelOff).then(|| self.now.doors.keep(channel));
        let Kept { text, setting } = kept.flatten().unwrap_or_else(|| Kept {
            text: reason.about().to_owned(),
            setting: waiting_setting(reason, channel),
        });
        let text = format!("{} waits: {text}", noun(entry.intent.kind));
        Kept { text, setting }
    }

    /// True of a message that was not given on since it began to wait for more of its sender.
    fn waits_for_more(&self) -> bool {
        let waits = |event: &Event| matches!(event.kind, Kind::Waiting { op: None, .. });
        !self.now.is_gone && self.events.last().is_some_and(waits)
    }

    /// A file that the agent was not given explains an answer, not that there is none.
    fn left_out(&self, fate: FileFate, setting: Option<&String>) -> Says {
        if fate.reached() || self.landed() == 0 {
            Says::Yes
        } else {
            Says::No(setting.cloned())
        }
    }

    /// What became known later of an operation that had ended well.
    fn known_later(&self, kind: &Kind) -> Option<(Option<String>, Says)> {
        let what = |op: OpId| Some(noun(self.op(op.0)?.intent.kind));
        match kind {
            Kind::Undelivered { op, detail, .. } => {
                let what = what(*op)?;
                let text = format!("{what} did not arrive, although it was acknowledged: {detail}");
                Some((Some(text), Says::No(None)))
            }
            Kind::Receipt { op, receipt, .. } => {
                Some((Some(format!("{} was {receipt}", what(*op)?)), Says::Yes))
            }
            _ => None,
        }
    }

    /// Bytes that the scanner still holds keep the answer back as surely as a gate, as long as the turn runs.
    fn open_hold(&self) -> Option<WhyStep> {
        if self.detail.summary.terminal.is_some() || self.now.is_gone {
            return None;
        }
        let mut open = self
            .detail
            .messages
            .iter()
            .flat_map(|m| &m.holds)
            .filter(|h| h.until_seq.is_none());
        let entry = open.next()?;
        let hold = &entry.hold;
        let kind = Kind::Held {
            message: 0,
            hold: hold.clone(),
        };
        let StepDecision {
            inputs,
            setting,
            source,
            change,
        } = self.decision(&kind, None);
        Some(WhyStep {
            seq: entry.seq,
            stage: foldback_wire::Stage::Scan.code().to_owned(),
            no: true,
            text: format!(
                "{} bytes are held ({}): {} What would release them: {}",
                hold.span.len(),
                hold.reason,
                hold.because,
                hold.releases
            ),
            inputs,
            setting,
            source,
            change,
        })
    }

    /// The end of its process, where the turn has none.
    fn cut_off(&self) -> Option<WhyStep> {
        if self.detail.summary.terminal.is_some() || !self.now.is_gone {
            return None;
        }
        Some(WhyStep {
            seq: self.events.last()?.seq.0,
            stage: foldback_wire::Stage::Dispatch.code().to_owned(),
            no: true,
            text: self.after_the_end().to_owned(),
            inputs: Vec::new(),
            setting: None,
            source: None,
            change: None,
        })
    }

    /// What becomes of a turn without an end whose process is gone. One whose run was cut off is not run again.
    fn after_the_end(&self) -> &'static str {
        if is_in_run(self.events) {
            "Foldback was stopped or killed during this turn; the next start closes it"
        } else {
            "Foldback was stopped or killed during this turn; the next start goes on with it"
        }
    }

    /// A directive that was not carried out says so itself; its finding in the output is the same no again.
    fn was_skipped(&self, message: u32, span: Span) -> bool {
        let skipped = |entry: &DirectiveEntry| {
            entry.outcome.is_some() && entry.message == message && entry.directive.span() == span
        };
        self.detail.directives.iter().any(skipped)
    }

    /// Acknowledged operations that a user notices. In a turn of actions its questions and notices are no answer.
    fn landed(&self) -> usize {
        let noticed = |entry: &&LedgerEntry| {
            entry.intent.kind != OpKind::Typing
                && (!self.detail.has_chain || is_answer(entry))
                && entry
                    .outcome
                    .as_ref()
                    .is_some_and(|o| matches!(o.code, OutcomeCode::Sent | OutcomeCode::Unchanged))
        };
        self.detail.ledger.iter().filter(noticed).count()
    }

    fn op(&self, op: u64) -> Option<&LedgerEntry> {
        self.detail.ledger.iter().find(|entry| entry.op.0 == op)
    }

    fn open(&self, op: u64) -> bool {
        self.op(op).is_some_and(|entry| entry.outcome.is_none())
    }

    fn was_sent(&self, message: u32) -> bool {
        self.detail.ledger.iter().any(|entry| {
            matches!(entry.intent.body, Some(foldback_wire::Body::Clean { message: m, .. }) if m == message)
        })
    }

    fn outcome_setting(&self, outcome: &Outcome) -> Option<String> {
        match outcome.code {
            // A test by hand is one on every channel.
            OutcomeCode::DryRun if !self.detail.inbound.dry_run => {
                Some(format!("channels.{}.armed", self.channel))
            }
            _ => None,
        }
    }
}
