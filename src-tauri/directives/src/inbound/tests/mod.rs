//! What users write, tested as the contract says it.

mod any;
mod rules;
mod values;

use super::{Inbound, Settings};

/// What an authorised sender's message says.
fn parse(text: &str) -> Inbound {
    super::parse(text, &Settings::authorized())
}

/// The codes of the findings.
fn codes(inbound: &Inbound) -> Vec<&'static str> {
    inbound
        .diagnostics
        .iter()
        .map(|found| found.code.code())
        .collect()
}

/// The directives as they are printed.
fn set(inbound: &Inbound) -> serde_json::Value {
    serde_json::to_value(&inbound.directives).unwrap()
}
