//! `foldback serve` as a process of its own, and what its events and the kernel tell of it.

use crate::place::Place;
use foldback_agents::{
    Rule,
    strict_server::{Insists, StrictServer},
};
use foldback_channels::platform;
use foldback_wire::Platform;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    error::Error,
    fmt::Write as _,
    fs, io,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
    sync::watch,
};

/// Words of a long answer: several messages of every platform.
const WORDS: usize = 900;
/// A program whose journal says nothing for so long has finished what it had to do.
const CALM: Duration = Duration::from_secs(20);
/// The longest that anything is waited for.
const PATIENCE: Duration = Duration::from_mins(5);

/// Events so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counts {
    /// Messages that came in.
    pub(crate) received: usize,
    /// Turns that ended.
    pub(crate) ended: usize,
    /// Messages that a gate stopped, by gate.
    pub(crate) stopped: BTreeMap<String, usize>,
    /// Operations that ended, by outcome.
    outcomes: BTreeMap<String, usize>,
    /// All of them.
    events: usize,
    /// Connections of each channel: one breaks off where a call goes wrong.
    up: BTreeMap<String, usize>,
}

impl Counts {
    fn add(&mut self, event: &Value) {
        self.events += 1;
        let kind = &event["kind"];
        match kind["type"].as_str() {
            Some("received") => self.received += 1,
            Some("turn_ended") => self.ended += 1,
            Some("stopping") => {
                let gate = kind["gate"].as_str().unwrap_or_default().to_owned();
                *self.stopped.entry(gate).or_default() += 1;
            }
            Some("ended") => {
                let code = kind["outcome"]["code"].as_str().unwrap_or_default().to_owned();
                *self.outcomes.entry(code).or_default() += 1;
            }
            Some("channel_state") if kind["to"] == "up" => {
                if let Some(channel) = event["channel"].as_str() {
                    *self.up.entry(channel.to_owned()).or_default() += 1;
                }
            }
            _ => {}
        }
    }
}

/// The running program.
pub(crate) struct Bot {
    child: Child,
    counts: Arc<Mutex<Counts>>,
    /// The number of events so far.
    seen: watch::Receiver<usize>,
    /// The agent that is reached over HTTP.
    _model: StrictServer,
    _home: TempDir,
}

/// Answers to a message, of which they repeat what was `heard`; some react, some send a file, some are long, some come
/// bit by bit. The words that choose one stand in no prompt but by the message.
fn rules(heard: &str) -> String {
    let long: Vec<_> = (0..WORDS).map(|number| format!("w{number:04}")).collect();
    format!(
        "- when: {{contains: wants-long}}\n  agent: [\"Heard {heard}: \", \"{}\"]\n\
         - when: {{contains: wants-file}}\n  agent: ['<actions><send-file path=\"report.txt\"/></actions>Heard {heard}']\n\
         - when: {{contains: wants-react}}\n  agent: ['<actions><react emoji=\"eyes\"/></actions>Heard {heard}']\n\
         - when: {{contains: wants-slow}}\n  agent:\n    - Heard {heard}\n    - {{text: ' and more', after_ms: 2000}}\n\
         - agent: ['Heard {heard}']\n",
        long.join(" ")
    )
}

impl Bot {
    /// Starts it on an empty journal.
    pub(crate) async fn start(places: &BTreeMap<Platform, Place>) -> Result<Self, Box<dyn Error>> {
        // A model is given the whole prompt, examples of directives included: repeated, they would be carried out.
        let parsed: Vec<Rule> = serde_saphyr::from_str(&rules("it"))?;
        let model = StrictServer::bind(0, Insists::on_model("test"), parsed).await??;
        let home = TempDir::new()?;
        let folder = home.path();
        let mut tables = String::new();
        for (platform, place) in places {
            let over_http = matches!(*platform, platform::DISCORD | platform::SIGNAL);
            let backend = if over_http { "openai" } else { "script" };
            writeln!(tables, "{}backend = \"{backend}\"", place.config(folder))?;
        }
        // A conversation over HTTP is remembered up to so many tokens: with few of them it is full within minutes, and what
        // grows after that is nobody's memory.
        let config = format!(
            "[agent]\ncontext_tokens = 8000\n[agent.script]\nfile = \"script.yaml\"\n[agent.openai]\nbase_url = \"{}\"\nmodel = \"test\"\n\
             [files]\nsend_dir = \"out\"\n[queue]\nmode = \"followup\"\ncap = 100000\nper_sender = 0\n{tables}",
            model.base_url()
        );
        fs::write(folder.join("foldback.toml"), config)?;
        fs::write(folder.join("script.yaml"), rules("{text}"))?;
        fs::create_dir(folder.join("out"))?;
        fs::write(folder.join("out/report.txt"), "42")?;
        let mut child = Command::new(env!("CARGO_BIN_EXE_foldback"))
            .args(["serve", "--events", "--config"])
            .arg(folder.join("foldback.toml"))
            .env("FOLDBACK_DATA_DIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().ok_or("no standard output")?;
        let counts = Arc::<Mutex<Counts>>::default();
        let (told, seen) = watch::channel(0);
        tokio::spawn({
            let counts = Arc::clone(&counts);
            async move {
                let mut lines = BufReader::new(stdout).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    let event = serde_json::from_str(&line).unwrap_or_default();
                    let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
                    counts.add(&event);
                    told.send_replace(counts.events);
                }
            }
        });
        Ok(Self {
            child,
            counts,
            seen,
            _model: model,
            _home: home,
        })
    }

    /// The events so far.
    pub(crate) fn counts(&self) -> Counts {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until a platform's channel is connected.
    pub(crate) async fn until_up(&mut self, platform: Platform) -> Result<(), Box<dyn Error>> {
        while !self.counts().up.contains_key(platform.code()) {
            tokio::time::timeout(PATIENCE, self.seen.changed()).await??;
        }
        Ok(())
    }

    /// Waits until every message that came in has the end of its turn, and nothing follows.
    pub(crate) async fn until_calm(&mut self) -> Result<(), Box<dyn Error>> {
        let patience = tokio::time::Instant::now() + PATIENCE;
        while tokio::time::Instant::now() < patience {
            match tokio::time::timeout(CALM, self.seen.changed()).await {
                Ok(changed) => changed?,
                Err(_) => return Ok(()),
            }
        }
        Err("the program goes on and on".into())
    }

    /// Ends it in order.
    pub(crate) async fn end(mut self) -> Result<Counts, Box<dyn Error>> {
        let pid = self.child.id().ok_or("the program has ended")?.to_string();
        Command::new("kill").args(["-s", "TERM", &pid]).status().await?;
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await??;
        if !status.success() {
            return Err(format!("the program ended with {status}").into());
        }
        // The reader ends with the program's output.
        while self.seen.changed().await.is_ok() {}
        Ok(self.counts())
    }

    /// Resident memory, in megabytes.
    pub(crate) fn resident_mb(&self) -> Result<f64, Box<dyn Error>> {
        let status = fs::read_to_string(self.proc("status")?)?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes: f64 = line.ok_or("no VmRSS")?.trim().trim_end_matches(" kB").parse()?;
        Ok(kilobytes / 1_000.0)
    }

    /// Open descriptors.
    pub(crate) fn descriptors(&self) -> Result<usize, Box<dyn Error>> {
        Ok(fs::read_dir(self.proc("fd")?)?.count())
    }

    fn proc(&self, name: &str) -> io::Result<String> {
        let pid = self
            .child
            .id()
            .ok_or_else(|| io::Error::other("the program has ended"))?;
        Ok(format!("/proc/{pid}/{name}"))
    }
}
