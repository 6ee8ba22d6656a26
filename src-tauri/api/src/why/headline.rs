//! The sentence about a whole turn: what became of it, the first reason, and the setting that would change it.

use super::Way;
use crate::failure::capital;
use foldback_wire::{
    Event, Gate, Kind, Terminal,
    rpc::{Lane, WhyStep},
};
use std::collections::BTreeMap;

/// Words that begin a sentence of ours; other first words may be names, which keep their letters.
const OPENERS: [&str; 8] = ["A", "An", "Bots", "Everything", "It", "No", "Nothing", "The"];

impl Way<'_> {
    /// The sentence, from the steps that said no.
    pub(super) fn headline(&self, noes: &[&WhyStep]) -> String {
        if self.detail.summary.terminal.is_none() && self.now.is_gone {
            // Whatever it waited for then is no reason any more.
            return format!("Not done: {}.", self.after_the_end());
        }
        let [step, more @ ..] = noes else {
            return self.without_a_no();
        };
        let cause = self.events.binary_search_by_key(&step.seq, |event| event.seq.0);
        let cause = cause.ok().map(|at| &self.events[at].kind);
        if let Some(verdict) = &self.verdict {
            let is_of_actions = matches!(
                cause,
                Some(Kind::ActionRefused(_) | Kind::DeliveryRefused(_) | Kind::PermissionDecided { .. })
            );
            let begun = if is_of_actions { "Reason" } else { "Beside it" };
            let text = trimmed(&step.text);
            return with_setting(format!("{verdict}. {begun}: {text}{}.", and_more(more)), step);
        }
        let sentence = match cause {
            Some(Kind::RunCancelled { .. }) if self.has_failed() => capital(&step.text),
            Some(Kind::RunFailed { fault, detail, .. }) => {
                let about = trimmed(fault.about());
                let reason = match trimmed(detail) {
                    "" => about.to_owned(),
                    same if same == about => same.to_owned(),
                    detail => format!("{about} ({detail})"),
                };
                self.with_reason(&reason)
            }
            Some(Kind::Stopping {
                gate,
                detail,
                inputs,
                setting,
                ..
            }) => self.stopped(*gate, detail, inputs, setting.as_deref()),
            _ => self.with_reason(&step.text),
        };
        with_setting(format!("{sentence}{}.", and_more(more)), step)
    }

    fn has_failed(&self) -> bool {
        matches!(self.detail.summary.terminal, Some(Terminal::Failed { .. }))
    }

    /// What became of the turn, and a reason that is not a gate's.
    fn with_reason(&self, reason: &str) -> String {
        let reason = uncapital(trimmed(reason));
        let begun = match &self.detail.summary.terminal {
            None => "Still running:".to_owned(),
            Some(Terminal::Failed { .. }) => "Failed:".to_owned(),
            Some(Terminal::Unknown { .. }) => "Unclear whether the whole answer arrived:".to_owned(),
            Some(Terminal::Silent { .. }) if self.landed() == 0 => "No answer on purpose:".to_owned(),
            Some(_) if self.landed() == 0 => "No answer:".to_owned(),
            Some(_) => format!("{}, but", self.answered()),
        };
        format!("{begun} {reason}")
    }

    /// A gate stopped the message. About a sender it is said who that is.
    fn stopped(
        &self,
        gate: Gate,
        detail: &str,
        inputs: &BTreeMap<String, String>,
        setting: Option<&str>,
    ) -> String {
        let sender = &self.detail.inbound.sender;
        let detail = detail
            .strip_prefix(&format!("{} is ", sender.id))
            .unwrap_or(detail);
        match gate {
            Gate::Unpaired if self.got_a_code() => {
                format!("{} got a pairing code and no answer: {detail}", self.who())
            }
            Gate::SenderNotAllowed | Gate::ChannelClosed | Gate::BotNotAllowed | Gate::Unpaired => {
                // The list that the sender is not on.
                let key = setting.and_then(|setting| setting.rsplit('.').next());
                let list = key.and_then(|key| inputs.get(key));
                let list = list.filter(|list| list.starts_with('['));
                let list = list.map(|list| list.trim_matches(['[', ']']));
                let list = list.filter(|list| !list.is_empty());
                let list = list.map_or_else(String::new, |list| format!(" ({list})"));
                format!("{} may not write here: {detail}{list}", self.who())
            }
            _ => {
                let reason = match (detail.strip_prefix("it "), detail.strip_prefix("its ")) {
                    (Some(rest), _) => format!("the message {rest}"),
                    (_, Some(rest)) => format!("the message's {rest}"),
                    _ => detail.to_owned(),
                };
                format!("No answer: {}", trimmed(&reason))
            }
        }
    }

    /// Who wrote: the name before the id.
    fn who(&self) -> String {
        let sender = &self.detail.inbound.sender;
        match sender.readable_name() {
            name if name == sender.id.as_str() => name.to_owned(),
            name => format!("{name} ({})", sender.id),
        }
    }

    fn answered(&self) -> String {
        format!("Answered on {}{}", self.channel, self.stepped_in())
    }

    fn without_a_no(&self) -> String {
        if let Some(verdict) = &self.verdict {
            return format!("{verdict}.");
        }
        let landed = match self.landed() {
            0 => "nothing was delivered, and no step refused anything".to_owned(),
            1 => "1 operation acknowledged".to_owned(),
            n => format!("{n} operations acknowledged"),
        };
        match &self.detail.summary.terminal {
            None => format!("Still running: {}.", self.doing()),
            Some(Terminal::Failed { detail } | Terminal::Unknown { detail }) if !detail.is_empty() => {
                format!("{}.", self.with_reason(detail))
            }
            Some(Terminal::Steered { into }) => {
                format!("Given to the agent while it answered turn {into}: the answer is there.")
            }
            Some(Terminal::Collected { into }) => {
                format!("Answered together with turn {into}: the answer is there.")
            }
            Some(_) if self.landed() > 0 => format!("{}: {landed}.", self.answered()),
            Some(_) => format!("{}.", self.with_reason(&landed)),
        }
    }

    /// True where an unknown sender was told how to ask for approval: that is no answer to what they wrote.
    fn got_a_code(&self) -> bool {
        let has_code = |event: &Event| matches!(event.kind, Kind::Pairing { code: Some(_), .. });
        self.events.iter().any(has_code)
    }

    /// What a running turn is at.
    fn doing(&self) -> String {
        let lanes = &self.detail.lanes;
        let at = |lane| lanes.iter().any(|bar| bar.lane == lane && bar.until_ms.is_none());
        let was_at = |lane| lanes.iter().any(|bar| bar.lane == lane);
        if let Some(title) = self.asks() {
            format!("a person is asked to allow {title}")
        } else if at(Lane::Agent) {
            "the agent is at work".to_owned()
        } else if at(Lane::Actions) {
            "an action is carried out".to_owned()
        } else if at(Lane::Delivery) {
            "operations are on their way".to_owned()
        } else if was_at(Lane::Agent) {
            "the agent has ended, and what it answered is not over".to_owned()
        } else {
            "the message has not reached the agent".to_owned()
        }
    }
}

/// The number of reasons behind the first.
fn and_more(more: &[&WhyStep]) -> String {
    match more.len() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    }
}

/// The sentence with the setting of a step, where it does not name it.
fn with_setting(sentence: String, step: &WhyStep) -> String {
    match &step.setting {
        Some(setting) if !sentence.contains(setting) => format!("{sentence} Setting: {setting}"),
        _ => sentence,
    }
}

/// A sentence without its end.
fn trimmed(text: &str) -> &str {
    text.trim_end_matches('.')
}

/// A sentence as the rest of another one.
fn uncapital(text: &str) -> String {
    match text.split_once(' ') {
        Some((first, rest)) if OPENERS.contains(&first) => format!("{} {rest}", first.to_lowercase()),
        _ => text.to_owned(),
    }
}
