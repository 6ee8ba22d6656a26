//! One life of a bot: it starts on the journal of its predecessors, answers some conversations at once, and
//! ends in order, unless it is killed.

use crate::simulated_platform::SimulatedPlatform;
use foldback_pipeline::TokioClock;
use foldback_wire::{ChatType, Clock as _, Inbound, Platform, Sender};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::process::ExitStatusExt as _,
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::{Duration, Instant},
};

/// Conversations that each life holds at once.
const CONVERSATIONS: u64 = 3;
/// Messages in each of them: the second waits while the first is answered.
const MESSAGES: u64 = 2;
/// A bot that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_mins(2);

/// A kill from outside, between the end of a run and the last edit of its answer.
#[derive(Clone, Copy)]
pub(crate) struct AfterRun {
    /// The first run of this life that may be the one, from 1.
    pub(crate) nth: u64,
    /// Time from the end of that run to the kill; where the turn ends before, the next run is the one.
    pub(crate) by: Duration,
}

pub(crate) struct Life {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<Value>,
    platform: Platform,
    /// Messages of this life, by their ids.
    messages: BTreeSet<String>,
}

impl Life {
    /// Somebody writes in each conversation, and a bot starts that is killed at `crash`.
    pub(crate) fn begin(
        platform: Platform,
        number: u64,
        at: &SimulatedPlatform,
        home: &Path,
        crash: Option<&str>,
    ) -> Self {
        let messages = write(platform, number, at);
        let (mut child, lines) = start(home, &["--commands"], crash);
        Self {
            stdin: child.stdin.take().unwrap(),
            child,
            lines,
            platform,
            messages,
        }
    }

    /// What was written in this life.
    pub(crate) const fn messages(&self) -> &BTreeSet<String> {
        &self.messages
    }

    /// Waits until every conversation has its answer, then ends the bot, unless it is to be killed before. True when it
    /// was killed.
    pub(crate) fn live(mut self, toggled: bool, kill: Option<AfterRun>) -> bool {
        let mut ended = 0;
        // The turn after whose run the bot is killed, and when.
        let mut aimed: Option<(u64, Instant)> = None;
        let mut running: BTreeSet<u64> = BTreeSet::new();
        let mut toggle = toggled;
        let mut told = false;
        loop {
            let left = aimed.map_or(PATIENCE, |(_, at)| at.saturating_duration_since(Instant::now()));
            let event = match self.lines.recv_timeout(left) {
                Ok(event) => event,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if aimed.is_some() => {
                    self.child.kill().unwrap();
                    break;
                }
                Err(RecvTimeoutError::Timeout) => panic!("the bot hangs; it waits for {:?}", self.messages),
            };
            let kind = &event["kind"];
            self.messages
                .remove(kind["message"]["message"].as_str().unwrap_or_default());
            let kind_of = kind["type"].as_str();
            let turn = event["turn"].as_u64();
            match (kind_of, turn) {
                (Some("turn_ended"), Some(turn)) => {
                    running.remove(&turn);
                    // Its last edit came first: the next run that ends is tried.
                    aimed = aimed.filter(|(of, _)| *of != turn);
                }
                // Those of earlier lives are waited for too, once they are seen.
                (_, Some(turn)) => drop(running.insert(turn)),
                _ => {}
            }
            if kind_of == Some("run_ended") {
                ended += 1;
                if let (Some(AfterRun { nth, by }), Some(turn), None) = (kill, turn, aimed)
                    && ended >= nth
                {
                    aimed = Some((turn, Instant::now() + by));
                }
            }
            match kind_of {
                Some("run_started") if toggle => {
                    toggle = false;
                    self.switch(false);
                }
                Some(_) if is_switched_off(kind) => self.switch(true),
                _ => {}
            }
            if self.messages.is_empty() && running.is_empty() && !told {
                told = true;
                self.terminate();
            }
        }
        let status = self.child.wait().unwrap();
        let killed = status.signal() == Some(9);
        assert!(killed || status.success(), "a bot ended with {status}");
        killed
    }

    /// Ends the bot in order in the middle of its first turn, while somebody goes on writing; what is unanswered
    /// then is left to the next life.
    pub(crate) fn cut_short(mut self, write_on: impl FnOnce()) {
        loop {
            let event = self.lines.recv_timeout(PATIENCE).expect("no turn runs");
            let kind = &event["kind"];
            if is_switched_off(kind) {
                // The life before was killed between the two switches.
                self.switch(true);
            } else if kind["type"] == "run_started" {
                break;
            }
        }
        self.terminate();
        write_on();
        let next = || self.lines.recv_timeout(PATIENCE);
        let end = std::iter::repeat_with(next).find_map(Result::err);
        assert_eq!(end, Some(RecvTimeoutError::Disconnected), "the bot hangs");
        let status = self.child.wait().unwrap();
        assert!(status.success(), "a bot ended with {status}");
    }

    /// Tells the bot to end in order.
    fn terminate(&self) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap();
        assert!(told.success());
    }

    fn switch(&mut self, on: bool) {
        let order = json!({"command": "channel_switch", "args": {"channel": self.platform.code(), "on": on}});
        // It may just have been killed.
        let _ = writeln!(self.stdin, "{order}");
    }
}

/// True where the channel is off by a command, of this life or of one before.
fn is_switched_off(kind: &Value) -> bool {
    kind["type"] == "channel_state" && kind["to"] == "off" && kind["by"] == "cli"
}

/// Somebody writes in each conversation. Answers the ids of the messages, which belong to this number.
pub(crate) fn write(platform: Platform, number: u64, at: &SimulatedPlatform) -> BTreeSet<String> {
    let ids = (0..CONVERSATIONS * MESSAGES).map(|place| {
        let id = (1_000_000 + number * CONVERSATIONS * MESSAGES + place).to_string();
        at.write(message(platform, place % CONVERSATIONS, &id));
        id
    });
    ids.collect()
}

/// A bot in a process of its own, which is killed at `crash`, and the events that it prints.
pub(crate) fn start(home: &Path, more: &[&str], crash: Option<&str>) -> (Child, Receiver<Value>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foldback"));
    command
        .args(["serve", "--events"])
        .args(more)
        .arg("--config")
        .arg(home.join("foldback.toml"))
        .env("FOLDBACK_DATA_DIR", home)
        .env_remove("RUST_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if let Some(crash) = crash {
        command.env("FOLDBACK_CRASH_AT", crash);
    }
    let mut child = command.spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, lines) = channel();
    thread::spawn(move || {
        // A line that a kill cut off is none.
        let values = stdout.lines().map_while(Result::ok);
        for value in values.filter_map(|line| serde_json::from_str(&line).ok()) {
            if sender.send(value).is_err() {
                return;
            }
        }
    });
    (child, lines)
}

/// A message in a conversation.
pub(crate) fn message(platform: Platform, conversation: u64, id: &str) -> Inbound {
    Inbound {
        channel: platform.code().into(),
        account: None,
        chat: format!("chat{conversation}").into(),
        chat_type: ChatType::Direct,
        thread: None,
        message: id.into(),
        reply_to: None,
        sender: Sender {
            id: format!("user{conversation}").into(),
            name: "alice".to_owned(),
            display_name: "Alice".to_owned(),
            is_bot: false,
        },
        text: "hi".to_owned(),
        mentioned: true,
        forwarded: false,
        files: Vec::new(),
        at: TokioClock::system().now(),
        dry_run: false,
        at_by_device: false,
        omitted: None,
        context: None,
    }
}
