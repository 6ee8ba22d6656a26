//! What an output would come to otherwise: cut into other chunks, or read under other settings.

use super::{Backend, Urgent, fixtures::off_thread};
use crate::{
    Output, failure, output,
    recut::{Plan, differences, recut},
};
use foldback_directives::{Settings, redact::RedactSettings};
use foldback_wire::{
    ChannelId, Inbound, MessageId,
    redact::Redaction,
    rpc::{
        Aspect, BenchBase, BenchColumn, BenchResult, DialectBench, DialectBenchResult, Failure, Recut,
        RecutProgress, RecutResult, RecutStarted, Specimen,
    },
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// Least time between two reports of a run.
const REPORT: Duration = Duration::from_millis(100);

/// An output, what it answers, and where it comes from.
pub(super) struct Sample {
    pub(super) output: Output,
    pub(super) inbound: Inbound,
    /// Whether its raw text is the journal's, where secrets are written masked.
    journalled: bool,
    /// Where it comes from, as a fixture tells it.
    pub(super) from: String,
}

/// How an output is read.
#[derive(Clone, PartialEq, Eq)]
struct Manner {
    settings: Settings,
    redact: RedactSettings,
}

impl Backend {
    /// The output of a specimen.
    pub(super) async fn sample(&self, specimen: Specimen) -> Result<Sample, Failure> {
        let config = &self.shared.config;
        match specimen {
            Specimen::Text {
                user_text,
                agent_output,
                channel,
            } => {
                let settings = self.settings_of(channel.as_ref())?;
                let channel = channel
                    .or_else(|| config.channels.keys().next().cloned())
                    .unwrap_or_else(|| ChannelId::new("telegram"));
                Ok(Sample {
                    output: Output {
                        raw: agent_output,
                        user_text: Some(user_text.clone()),
                        settings,
                        secrets: self.shared.secrets.clone(),
                    },
                    inbound: self.inbound(&channel, MessageId::new("m1"), user_text),
                    journalled: false,
                    from: "a text in Compose".to_owned(),
                })
            }
            Specimen::Message { turn, message } => {
                let journal = self.shared.journal.as_ref();
                let (outputs, inbound) = Output::of_turn(journal, config, turn).await?;
                let output = outputs.into_iter().find(|(number, _)| *number == message);
                let (_, output) = output.ok_or_else(|| failure::no_message(turn, message))?;
                Ok(Sample {
                    output,
                    inbound,
                    journalled: true,
                    from: format!("message {} of turn {turn}", message + 1),
                })
            }
        }
    }

    /// How a channel's output is read; without one, as on a channel without settings of its own.
    fn settings_of(&self, channel: Option<&ChannelId>) -> Result<Settings, Failure> {
        let config = &self.shared.config;
        match channel {
            None => Ok(config.output.settings()),
            Some(id) if config.channels.contains_key(id) => Ok(config.settings_of(id)),
            Some(id) => Err(failure::no_channel(id)),
        }
    }

    pub(super) async fn start_recut(&self, wish: Recut) -> Result<RecutStarted, Failure> {
        let output = self.sample(wish.specimen).await?.output;
        let plan = Plan::of(&output.raw);
        let (families, cuts) = (plan.families().to_vec(), plan.total());
        let raw = output.raw.clone();
        let (run, stop) = self.shared.runs.begin();
        self.spawn(self.clone().go_through(run, output, stop));
        Ok(RecutStarted {
            run,
            raw,
            families,
            cuts,
        })
    }

    /// Tries the cuts off the runtime's threads and tells how far it is.
    async fn go_through(self, run: u32, output: Output, stop: Arc<AtomicBool>) {
        let tried = Arc::new(AtomicU64::new(0));
        let mut work = tokio::task::spawn_blocking({
            let tried = Arc::clone(&tried);
            move || cut_up(&output, &tried, &stop)
        });
        let tell = |done, result| {
            let progress = RecutProgress { run, done, result };
            // Nobody listens: then nobody waits for it.
            let _ = self.shared.urgent.send(Urgent::Recut(Box::new(progress)));
        };
        loop {
            let next = self.shared.clock.now().plus(REPORT);
            tokio::select! {
                ended = &mut work => {
                    // A run that panicked would leave its window waiting: it ends as one that was stopped.
                    let result = ended.unwrap_or_else(|error| {
                        tracing::error!(%error, "the re-cut fuzzer failed");
                        RecutResult { cuts: tried.load(Ordering::Relaxed), cancelled: true, failure: None }
                    });
                    tell(result.cuts, Some(result));
                    break;
                }
                () = self.shared.clock.sleep_until(next) => tell(tried.load(Ordering::Relaxed), None),
            }
        }
        self.shared.runs.end(run);
    }

    pub(super) async fn bench(&self, wish: DialectBench) -> Result<DialectBenchResult, Failure> {
        let DialectBench { specimen, columns } = wish;
        let sample = self.sample(specimen).await?;
        let configured = Manner {
            settings: sample.output.settings.clone(),
            redact: self.shared.config.redact.clone(),
        };
        let columns = columns.unwrap_or_else(|| self.worth_a_look(&configured));
        let mut manners = Vec::new();
        for column in columns {
            let mut base = configured.clone();
            match &column.base {
                BenchBase::Configured => {}
                BenchBase::Default => base.settings = like(&configured, Settings::default()),
                BenchBase::Channel { channel } => {
                    base.settings = like(&configured, self.settings_of(Some(channel))?);
                }
            }
            manners.push((set(base, &column.set), column));
        }
        off_thread(move || Ok(compare(sample, manners))).await
    }

    /// The settings that are worth a look: those in force, then each of the others that reads differently.
    fn worth_a_look(&self, configured: &Manner) -> Vec<BenchColumn> {
        let mut columns: Vec<(Manner, BenchColumn)> = Vec::new();
        let mut add = |manner: Manner, name: &str, base: BenchBase, set: Vec<String>| {
            match columns.iter_mut().find(|(known, _)| *known == manner) {
                // Channels that are configured alike are one column.
                Some((_, same)) if same.base != BenchBase::Configured && base != BenchBase::Configured => {
                    if !name.is_empty() {
                        same.name = format!("{}, {name}", same.name);
                    }
                }
                Some(_) => {}
                None => columns.push((
                    manner,
                    BenchColumn {
                        name: name.to_owned(),
                        base,
                        set,
                    },
                )),
            }
        };
        let read_by = |settings: Settings| Manner {
            settings: like(configured, settings),
            redact: configured.redact.clone(),
        };
        let default = read_by(Settings::default());
        let first = if *configured == default {
            "default"
        } else {
            "as configured"
        };
        add(configured.clone(), first, BenchBase::Configured, Vec::new());
        add(default, "default", BenchBase::Default, Vec::new());
        let config = &self.shared.config;
        for channel in config.channels.keys() {
            let own = config.settings_of(channel);
            let base = BenchBase::Channel {
                channel: channel.clone(),
            };
            add(read_by(own), channel.as_str(), base, Vec::new());
        }
        for (name, pair) in variations(configured) {
            let set = vec![pair];
            if let Ok(manner) = self::set(configured.clone(), &set) {
                add(manner, &name, BenchBase::Configured, set);
            }
        }
        columns.into_iter().map(|(_, column)| column).collect()
    }
}

/// Settings that read the message ids of the specimen's platform, and the names of the bot's actions: these are no settings
/// that anybody chooses.
fn like(configured: &Manner, settings: Settings) -> Settings {
    Settings {
        reply_to: configured.settings.reply_to.clone(),
        action_names: configured.settings.action_names.clone(),
        ..settings
    }
}

fn cut_up(output: &Output, tried: &AtomicU64, stop: &AtomicBool) -> RecutResult {
    recut(&Plan::of(&output.raw), &|| output.reader(), |done| {
        tried.store(done, Ordering::Relaxed);
        !stop.load(Ordering::Relaxed)
    })
}

/// Each single setting that could be otherwise, with a name.
fn variations(Manner { settings, redact }: &Manner) -> Vec<(String, String)> {
    use foldback_directives::{Bare, Dialect, Placement, TrailingSilence};
    let mut found = Vec::new();
    for dialect in Dialect::ALL {
        let on = settings.has(*dialect);
        let mut dialects: Vec<_> = settings.dialects.iter().filter(|d| *d != dialect).collect();
        if !on {
            dialects.push(dialect);
        }
        let codes: Vec<_> = dialects.into_iter().map(|d| d.code()).collect();
        let name = format!("{dialect} {}", if on { "off" } else { "on" });
        found.push((name, format!("output.dialects={}", codes.join(","))));
    }
    let mut vary = |key: &str, value: &str, now: bool| {
        if !now {
            found.push((
                format!("{key} {value}").replace('_', " "),
                format!("output.{key}={value}"),
            ));
        }
    };
    for value in Placement::ALL {
        vary("placement", value.code(), settings.placement == *value);
    }
    for value in Bare::ALL {
        vary("bare", value.code(), settings.bare == *value);
    }
    for value in TrailingSilence::ALL {
        vary(
            "trailing_silence",
            value.code(),
            settings.trailing_silence == *value,
        );
    }
    for value in [true, false] {
        vary("heartbeat", &value.to_string(), settings.heartbeat == value);
        vary("allow_echo", &value.to_string(), settings.allow_echo == value);
    }
    found.push((
        format!("redaction {}", if redact.enabled { "off" } else { "on" }),
        format!("redact.enabled={}", !redact.enabled),
    ));
    for (key, on) in [("email", redact.email), ("phone", redact.phone)] {
        found.push((format!("redact {key} {}", !on), format!("redact.{key}={}", !on)));
    }
    found
}

fn set(mut manner: Manner, pairs: &[String]) -> Result<Manner, String> {
    for pair in pairs {
        match pair.split_once('=').map(|(key, value)| (key.trim(), value)) {
            Some((key, value)) if key.starts_with("redact.") => manner.redact.set(key, value),
            _ => manner.settings.set_pair(pair),
        }
        .map_err(|error| error.to_string())?;
    }
    Ok(manner)
}

fn compare(sample: Sample, columns: Vec<(Result<Manner, String>, BenchColumn)>) -> DialectBenchResult {
    let Sample {
        output, journalled, ..
    } = sample;
    let mut results: Vec<BenchResult> = Vec::new();
    for (manner, column) in columns {
        let mut result = BenchResult {
            column,
            parsed: None,
            masked: Vec::new(),
            error: None,
            differs: Vec::new(),
        };
        match manner {
            Ok(Manner { settings, redact }) => {
                let output = Output {
                    settings,
                    secrets: if journalled {
                        Some(output::in_journal(&redact))
                    } else {
                        Redaction::new(&redact)
                    },
                    ..output.clone()
                };
                result.parsed = Some(output.read());
                result.masked = output.masked(&redact);
            }
            Err(error) => result.error = Some(error),
        }
        if let Some(first) = results.first()
            && let (Some(a), Some(b)) = (&first.parsed, &result.parsed)
        {
            result.differs = differences(a, b);
            if first.masked != result.masked {
                result.differs.push(Aspect::Masked);
            }
        }
        results.push(result);
    }
    // Stable: what differs as much stays in order. A mistake in a setting is seen before anything else.
    if let Some((_, others)) = results.split_first_mut() {
        others.sort_by_key(|result| (result.error.is_none(), std::cmp::Reverse(result.differs.len())));
    }
    let grammar = Settings::KEYS.iter().map(|key| format!("output.{key}"));
    let redaction = RedactSettings::KEYS.iter().map(|key| (*key).to_owned());
    DialectBenchResult {
        raw: output.raw,
        results,
        keys: grammar.chain(redaction).collect(),
    }
}
