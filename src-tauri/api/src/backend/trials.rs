//! What an output would come to otherwise: cut into other chunks, or read under other settings.

use super::{Backend, Urgent, fixtures::off_thread};
use crate::{
    TurnFold, failure,
    recut::{Plan, differences, recut},
};
use foldback_directives::{
    Scanner, Settings, parse,
    redact::{Patterns, Reader},
};
use foldback_wire::{
    ChannelId, Inbound, MessageId,
    rpc::{
        BenchBase, BenchColumn, BenchResult, Benched, DialectBench, Failure, Recut, RecutProgress,
        RecutResult, RecutStarted, Specimen,
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

/// An output with all that its reading depends on.
pub(super) struct Output {
    pub(super) raw: String,
    pub(super) inbound: Inbound,
    pub(super) settings: Settings,
    /// What is masked in it; `None` when nothing is.
    secrets: Option<Arc<Patterns>>,
    /// Where it comes from, as a fixture tells it.
    pub(super) from: String,
}

impl Backend {
    /// The output of a specimen.
    pub(super) async fn output(&self, specimen: Specimen) -> Result<Output, Failure> {
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
                Ok(Output {
                    raw: agent_output,
                    inbound: self.inbound(&channel, MessageId::new("m1"), user_text),
                    settings,
                    secrets: config.redact.enabled.then(|| Patterns::new(&config.redact)),
                    from: "a text in Compose".to_owned(),
                })
            }
            Specimen::Message { turn, message } => {
                let events = self.shared.journal.turn(turn).await.map_err(failure::journal)?;
                let detail = TurnFold::of(turn, &events)
                    .detail()
                    .ok_or_else(|| failure::no_turn(turn))?;
                let written = detail
                    .messages
                    .into_iter()
                    .find(|m| m.message == message)
                    .ok_or_else(|| failure::no_message(turn, message))?;
                Ok(Output {
                    raw: written.raw,
                    settings: config.output_of(&detail.inbound.channel).settings(),
                    inbound: detail.inbound,
                    // The journal keeps secrets masked; they are known again by how they are written there.
                    secrets: Some(Patterns::masked()),
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
            Some(id) if config.channels.contains_key(id) => Ok(config.output_of(id).settings()),
            Some(id) => Err(failure::no_channel(id)),
        }
    }

    pub(super) async fn start_recut(&self, wish: Recut) -> Result<RecutStarted, Failure> {
        let output = self.output(wish.specimen).await?;
        let plan = Plan::of(&output.raw);
        let (families, cuts) = (plan.families().to_vec(), plan.total());
        let raw = output.raw.clone();
        let (run, stop) = self.shared.runs.begin();
        self.tasks().spawn(self.clone().go_through(run, output, stop));
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

    pub(super) async fn bench(&self, wish: DialectBench) -> Result<Benched, Failure> {
        let DialectBench { specimen, columns } = wish;
        let output = self.output(specimen).await?;
        let columns = columns.unwrap_or_else(|| self.worth_a_look(&output.settings));
        let mut settings = Vec::new();
        for column in columns {
            let base = match &column.base {
                BenchBase::Configured => output.settings.clone(),
                BenchBase::Default => Settings::default(),
                BenchBase::Channel { channel } => self.settings_of(Some(channel))?,
            };
            settings.push((set(base, &column.set), column));
        }
        off_thread(move || Ok(compare(output, settings))).await
    }

    /// The settings that are worth a look: those in force, then each of the others that reads differently.
    fn worth_a_look(&self, configured: &Settings) -> Vec<BenchColumn> {
        let mut columns: Vec<(Settings, BenchColumn)> = Vec::new();
        let mut add = |settings: Settings, name: &str, base: BenchBase, set: Vec<String>| {
            match columns.iter_mut().find(|(known, _)| *known == settings) {
                // Channels that are configured alike are one column.
                Some((_, same)) if same.base != BenchBase::Configured && base != BenchBase::Configured => {
                    if !name.is_empty() {
                        same.name = format!("{}, {name}", same.name);
                    }
                }
                Some(_) => {}
                None => columns.push((
                    settings,
                    BenchColumn {
                        name: name.to_owned(),
                        base,
                        set,
                    },
                )),
            }
        };
        let default = Settings::default();
        let first = if *configured == default {
            "default"
        } else {
            "as configured"
        };
        add(configured.clone(), first, BenchBase::Configured, Vec::new());
        add(default, "default", BenchBase::Default, Vec::new());
        let config = &self.shared.config;
        for channel in config.channels.keys() {
            let own = config.output_of(channel).settings();
            let base = BenchBase::Channel {
                channel: channel.clone(),
            };
            add(own, channel.as_str(), base, Vec::new());
        }
        for (name, pair) in variations(configured) {
            let set = vec![pair];
            if let Ok(settings) = self::set(configured.clone(), &set) {
                add(settings, &name, BenchBase::Configured, set);
            }
        }
        columns.into_iter().map(|(_, column)| column).collect()
    }
}

fn cut_up(output: &Output, tried: &AtomicU64, stop: &AtomicBool) -> RecutResult {
    let begin = || {
        let scanner = Scanner::new(&output.settings, Some(&output.inbound.text));
        Reader::new(scanner, output.secrets.as_ref())
    };
    recut(&Plan::of(&output.raw), &begin, |done| {
        tried.store(done, Ordering::Relaxed);
        !stop.load(Ordering::Relaxed)
    })
}

/// Each single setting that could be otherwise, with a name.
fn variations(settings: &Settings) -> Vec<(String, String)> {
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
    found
}

fn set(mut settings: Settings, pairs: &[String]) -> Result<Settings, String> {
    for pair in pairs {
        settings.set_pair(pair).map_err(|error| error.to_string())?;
    }
    Ok(settings)
}

fn compare(output: Output, columns: Vec<(Result<Settings, String>, BenchColumn)>) -> Benched {
    let mut results: Vec<BenchResult> = Vec::new();
    for (settings, column) in columns {
        let (parsed, error) = match settings {
            Ok(settings) => (
                Some(parse(&output.raw, &settings, Some(&output.inbound.text))),
                None,
            ),
            Err(error) => (None, Some(error)),
        };
        let first = results.first().map_or(&parsed, |first| &first.parsed);
        let differs = match (first, &parsed) {
            (Some(first), Some(parsed)) => differences(first, parsed),
            _ => Vec::new(),
        };
        results.push(BenchResult {
            column,
            parsed,
            error,
            differs,
        });
    }
    // Stable: what differs as much stays in order. A mistake in a setting is seen before anything else.
    if let Some((_, others)) = results.split_first_mut() {
        others.sort_by_key(|result| (result.error.is_none(), std::cmp::Reverse(result.differs.len())));
    }
    Benched {
        raw: output.raw,
        results,
        keys: Settings::KEYS.iter().map(|key| format!("output.{key}")).collect(),
    }
}
