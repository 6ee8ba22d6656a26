//! The words of what an operator or an adapter did: to channels, to planned faults, and about who may talk.

use foldback_wire::{Actor, ChannelState, Fault, OpId, PairingStep};

/// The state that a channel is in now; who brought that about, where it was a person; and why, where there is more to say.
pub(super) fn channel_state(from: ChannelState, to: ChannelState, by: &Actor, why: &str) -> String {
    let state = match to {
        ChannelState::Up if from == to => "up".to_owned(),
        ChannelState::Up => "connected".to_owned(),
        other => other.code().replace('_', " "),
    };
    let still = if from == to { "still " } else { "" };
    let by = if by.is_person() {
        by.to_string()
    } else {
        String::new()
    };
    let why = if why == state { "" } else { why };
    let about: Vec<_> = [by.as_str(), why]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    if about.is_empty() {
        format!("{still}{state}")
    } else {
        format!("{still}{state} ({})", about.join(": "))
    }
}

pub(super) fn armed(armed: bool, by: &Actor) -> String {
    if armed {
        format!("armed by {by}: sends for real")
    } else {
        format!("disarmed by {by}: dry run")
    }
}

/// All outbound was muted or unmuted.
pub(super) fn muted(muted: bool, by: &Actor) -> String {
    if muted {
        format!("all outbound muted by {by}")
    } else {
        format!("outbound unmuted by {by}")
    }
}

pub(super) fn settled(send: bool, by: &Actor) -> String {
    let how = if send { "let go" } else { "given up" };
    format!("what was held for too long is {how} by {by}")
}

pub(super) fn planned(number: u64, agent: Option<&str>, fault: &Fault, by: &Actor) -> String {
    let agent = agent.map(|agent| format!("{agent}: ")).unwrap_or_default();
    format!("fault {number} planned by {by}: {agent}{fault}")
}

pub(super) fn faulted(number: u64, op: Option<OpId>, fault: &Fault) -> String {
    let op = op.map(|op| format!("op {op} ")).unwrap_or_default();
    format!("{op}goes wrong as planned, fault {number}: {fault}")
}

pub(super) fn pairing(step: PairingStep, sender: &str, name: &str, code: Option<&str>, by: &Actor) -> String {
    let code = code.unwrap_or_default();
    match step {
        PairingStep::Requested => format!("{name} ({sender}) is unknown and gets the code {code}"),
        PairingStep::Replaced => format!("the request of {name} ({sender}) gave way to a newer one, of {by}"),
        PairingStep::Approved => format!("{name} ({sender}) is approved by {by}"),
        PairingStep::Refused => format!("{name} ({sender}) is refused by {by}"),
        PairingStep::Revoked => format!("the approval of {name} ({sender}) is taken back by {by}"),
    }
}
