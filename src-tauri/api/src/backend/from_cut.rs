//! A fixture that plays an output in certain chunks and expects what comes of it in one piece.

use super::{Backend, fixtures::off_thread, runs::silently, trials::Sample};
use crate::{Output, export::Script, failure};
use foldback_directives::{RangeReason, parse, redact::RedactSettings};
use foldback_pipeline::config::{Config, OutputConfig};
use foldback_replay::{Options, Played, fixture, run, updated};
use foldback_store::one_line;
use foldback_wire::{
    Fate, Platform,
    rpc::{Failure, FixtureText, RecutFixture},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, path::Path};

/// How much of a piece of markup no live frame may hold: three bytes are no word of a sentence.
const TELLTALE: usize = 3;

impl Backend {
    pub(super) async fn fixture_of_cut(&self, wish: RecutFixture) -> Result<FixtureText, Failure> {
        let RecutFixture { specimen, cut } = wish;
        let sample = self.sample(specimen).await?;
        let chunks = chunks(&sample.output.raw, &cut).ok_or_else(failure::bad_cut)?;
        let channel = &sample.inbound.channel;
        let platform = self.capabilities(channel).platform;
        let more = more(&sample, &self.shared.config);
        off_thread(move || played(&sample, &chunks, platform, more)).await
    }
}

/// The pieces of a text; `None` where it cannot be cut so.
fn chunks(raw: &str, cut: &[usize]) -> Option<Vec<String>> {
    let mut from = 0;
    let mut chunks = Vec::new();
    for end in cut.iter().copied().chain([raw.len()]) {
        let chunk = raw.get(from..end)?;
        if chunk.is_empty() && !raw.is_empty() {
            return None;
        }
        chunks.push(chunk.to_owned());
        from = end;
    }
    Some(chunks)
}

fn played(
    Sample {
        output,
        inbound,
        from,
        ..
    }: &Sample,
    chunks: &[String],
    platform: Platform,
    more: String,
) -> Result<FixtureText, Failure> {
    let path = "cuts/cut.yaml".to_owned();
    let script = Script {
        name: format!("Cut: {}", one_line(&output.raw, 60)),
        about: format!(
            "{} in {} chunks; expected is what comes of it in one piece.",
            failure::capital(from),
            chunks.len()
        ),
        platform,
        inbound,
        age_ms: 0,
        more,
    };
    let read = |text: &str| fixture::parse(Path::new(&path), text).map_err(|e| failure::internal(&e));
    let whole = read(&script.with([json!(output.raw)]))?;
    let played = silently(|| run(Path::new(&path), &whole, platform, &Options::default()));
    let Played { came, .. } = played.map_err(|case| failure::cannot_run(&path, &case))?;
    let text = script.with(chunks.iter().map(|chunk| json!(chunk)));
    let text = updated(&text, &read(&text)?, &[came]);
    Ok(FixtureText { path, text })
}

/// The settings it was read with, where they are not the default; and what no live frame may hold.
fn more(Sample { output, inbound, .. }: &Sample, config: &Config) -> String {
    let mut more = String::new();
    let own = [
        (
            "output",
            changed(&config.output_of(&inbound.channel), &OutputConfig::default()),
        ),
        ("redact", changed(&config.redact, &RedactSettings::default())),
    ];
    let own: Map<String, Value> = own
        .into_iter()
        .filter(|(_, keys)| !keys.is_empty())
        .map(|(name, keys)| (name.to_owned(), Value::Object(keys)))
        .collect();
    if !own.is_empty() {
        // Writing to a String cannot fail.
        let _ = writeln!(more, "config: {}", Value::Object(own));
    }
    let hidden = telltales(output);
    if !hidden.is_empty() {
        let _ = writeln!(more, "never_visible: {}", json!(hidden));
    }
    more
}

fn changed<T: Serialize>(config: &T, default: &T) -> Map<String, Value> {
    let (Value::Object(own), Value::Object(default)) = (json!(config), json!(default)) else {
        return Map::new();
    };
    let differs = |(key, value): &(String, Value)| default.get(key) != Some(value);
    own.into_iter().filter(differs).collect()
}

/// How the markup of the output begins, as far as its text does not say the same.
fn telltales(output: &Output) -> Vec<String> {
    let parsed = parse(&output.raw, &output.settings, output.user_text.as_deref());
    let mut found: Vec<String> = Vec::new();
    for range in &parsed.ranges {
        let markup = matches!(
            range.reason,
            Some(
                RangeReason::ActionsBlock
                    | RangeReason::BareDirective
                    | RangeReason::Header
                    | RangeReason::Marker
            )
        );
        let text = range.span.of(&output.raw).trim_start();
        let Some(sign) = text.get(..TELLTALE) else {
            continue;
        };
        let known = found.iter().any(|known| known == sign) || parsed.clean_text.contains(sign);
        if markup && range.fate == Fate::Strip && !known {
            found.push(sign.to_owned());
        }
    }
    found
}
