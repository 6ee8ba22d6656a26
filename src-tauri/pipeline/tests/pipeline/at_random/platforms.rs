//! Platforms that refuse, fail, lose what they acknowledged and break off.

use super::Chance;
use foldback_channels::{
    Loopback,
    sim::{CallFailure, CallFault},
};
use foldback_wire::{OpKind, Platform};
use std::{collections::BTreeMap, sync::Arc};

/// Plans what goes wrong with the calls of so many messages: with about one call in twelve.
pub(super) fn plan_faults(loopbacks: &BTreeMap<Platform, Arc<Loopback>>, chance: &Chance, messages: usize) {
    let calls = u32::try_from(2 * messages).unwrap_or(u32::MAX);
    for loopback in loopbacks.values() {
        let mut platform = loopback.platform();
        for op in [OpKind::SendText, OpKind::EditText, OpKind::React] {
            for fault in (1..=calls).filter_map(|nth| fault(op, nth, chance)) {
                platform.plan(fault);
            }
        }
    }
}

fn fault(op: OpKind, nth: u32, chance: &Chance) -> Option<CallFault> {
    let (fail, wait) = match chance.below(1_200) {
        0..30 => (Some(CallFailure::RateLimited), Some(500 + chance.below(8_000))),
        30..60 => (Some(CallFailure::Transient), None),
        60..65 => (Some(CallFailure::LostAck), None),
        65..67 => (Some(CallFailure::Disconnect), Some(1_000 + chance.below(20_000))),
        67..70 => (Some(CallFailure::Rejected), None),
        70..100 => (None, None),
        _ => return None,
    };
    Some(CallFault {
        nth,
        fail,
        retry_after_ms: wait.map(|ms| ms as u64),
        latency_ms: chance.below(800) as u64,
        ..CallFault::first(op, CallFailure::Transient)
    })
}
