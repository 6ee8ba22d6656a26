//! A bot with a home of its own, and a bot that runs.

use crate::foldback::{Ran, run};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_foldback");

/// A bot that says nothing for so long hangs; no test depends on it otherwise.
const PATIENCE: Duration = Duration::from_mins(2);

/// A home: data folder, configuration, nothing of the machine's own.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    /// One with the embedded default.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // As a person's own folder is: nobody else looks into it.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        }
        Self { folder }
    }

    /// One with this configuration.
    pub(crate) fn with(config: &str) -> Self {
        let home = Self::new();
        home.write("foldback.toml", config);
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// `foldback` with these arguments in this home.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.command_of(Path::new(PROGRAM), args)
    }

    /// A command of the program at this path, in this home.
    fn command_of(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .env_remove("RUST_LOG")
            .env_remove("FOLDBACK_CONFIG")
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("FOLDBACK_DATA_DIR", self.path("data"));
        // A machine that is busy with other tests answers, but not within the five seconds of a person's command.
        if args.first() == Some(&"doctor") && !args.contains(&"--timeout") {
            command.args(["--timeout", "120"]);
        }
        if self.path("foldback.toml").exists() {
            command.env("FOLDBACK_CONFIG", self.path("foldback.toml"));
        }
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        run(self.command(args), "")
    }

    /// Sends a message through a channel, answered with this text.
    pub(crate) fn send(&self, channel: &str, text: &str, answer: &str) -> Ran {
        let file = self.write("answer.txt", answer);
        self.run(&[
            "send",
            "--channel",
            channel,
            "--text",
            text,
            "--agent-output",
            arg(&file),
        ])
    }

    /// Starts `foldback serve` with these arguments.
    pub(crate) fn serve(&self, args: &[&str]) -> Bot {
        self.serve_with(args, &[])
    }

    /// Starts `serve` of the program at this path.
    pub(crate) fn serve_as(&self, program: &Path, args: &[&str]) -> Bot {
        self.started(self.command_of(program, &[&["serve"], args].concat()))
    }

    /// The same, with these variables.
    pub(crate) fn serve_with(&self, args: &[&str], env: &[(&str, &str)]) -> Bot {
        let mut command = self.command(&[&["serve"], args].concat());
        command.envs(env.iter().copied());
        self.started(command)
    }

    /// Starts `foldback serve` in a shell that limits the descriptors with these options of `ulimit`.
    #[cfg(unix)]
    pub(crate) fn serve_limited(&self, limit: &str, args: &[&str]) -> Bot {
        let serve = self.command(&[&["serve"], args].concat());
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\"")])
            .arg(serve.get_program())
            .args(serve.get_args());
        for (name, value) in serve.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        self.started(command)
    }

    fn started(&self, mut command: Command) -> Bot {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(fs::File::create(self.path("log")).unwrap()))
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        Bot {
            stdin: child.stdin.take(),
            child,
            lines,
            seen: Vec::new(),
        }
    }

    /// The events of the journal that pass a filter.
    pub(crate) fn journal(&self, filter: &str) -> Vec<Value> {
        let ran = self.run(&["journal", "query", "--where", filter]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        ran.lines()
    }

    /// Everything that was left behind: what was printed and logged, the files of the journal, every way to look at it
    /// and to take it elsewhere.
    pub(crate) fn traces(&self, bot: &Bot) -> String {
        let mut traces = format!("{:?} {}", bot.seen, self.log());
        for file in fs::read_dir(self.path("data")).unwrap() {
            let bytes = fs::read(file.unwrap().path()).unwrap();
            traces.push_str(&String::from_utf8_lossy(&bytes));
        }
        for args in [
            ["journal", "export"].as_slice(),
            &["journal", "query"],
            &["journal", "stats"],
            &["why", "1"],
            &["doctor"],
        ] {
            let ran = self.run(args);
            assert!(ran.stdout.len() + ran.stderr.len() > 0, "{args:?}");
            traces.extend([ran.stdout, ran.stderr]);
        }
        traces
    }

    /// What the bot that was served logged.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }
}

/// A running bot.
pub(crate) struct Bot {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Everything that it printed so far.
    pub(crate) seen: Vec<Value>,
}

impl Bot {
    /// Waits for a line, and answers with its place among those seen.
    pub(crate) fn until(&mut self, what: impl Fn(&Value) -> bool) -> usize {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|error| panic!("{error}; seen: {:#?}", self.seen));
            let found = what(&line);
            self.seen.push(line);
            if found {
                return self.seen.len() - 1;
            }
        }
    }

    /// Gives a command.
    pub(crate) fn order(&mut self, line: &Value) {
        self.order_bytes(format!("{line}\n").as_bytes());
    }

    /// Writes these bytes where commands are read.
    pub(crate) fn order_bytes(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Asks everything that the window can be told, about the first turn where it is about one. For a bot that takes
    /// commands.
    pub(crate) fn ask_all(&mut self) {
        let questions = [
            ("catalog", json!({})),
            ("status", json!({})),
            ("channels", json!({})),
            ("turns", json!({"before": null, "limit": 100})),
            ("turn", json!({"turn": 1})),
            ("ruler", json!({"turn": 1})),
            ("fixture_from_turn", json!({"turn": 1})),
            ("event", json!({"seq": 1})),
            ("deliveries", json!({"channel": null, "limit": 100})),
            ("pairings", json!({})),
            ("faults", json!({})),
            ("secrets", json!({})),
            ("fixtures", json!({})),
            ("log_tail", json!({})),
            (
                "compose",
                json!({"user_text": "", "agent_output": "hi", "channels": []}),
            ),
        ];
        for (command, args) in questions {
            self.order(&json!({"id": command, "command": command, "args": args}));
            let answer = self.until(|line| line["id"] == command);
            assert!(self.seen[answer].get("answer").is_some(), "{}", self.seen[answer]);
        }
    }

    /// Its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Nobody reads any more.
    pub(crate) fn deaf(mut self) -> i32 {
        let (_, closed) = channel();
        self.lines = closed;
        self.child.wait().unwrap().code().unwrap()
    }

    /// Reads what is left and waits for the end.
    pub(crate) fn end(&mut self) -> i32 {
        self.seen.extend(self.lines.iter());
        self.child.wait().unwrap().code().unwrap()
    }

    /// Ends it in order.
    pub(crate) fn term(&mut self) -> i32 {
        self.signal("TERM");
        self.end()
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind; one that has ended it finds nobody.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a line is an event of this type.
pub(crate) fn is(kind: &str) -> impl Fn(&Value) -> bool {
    move |line| line["kind"]["type"] == kind
}

/// The place of the first line that is so.
pub(crate) fn place(lines: &[Value], what: impl Fn(&Value) -> bool) -> usize {
    lines
        .iter()
        .position(what)
        .unwrap_or_else(|| panic!("{lines:#?}"))
}

/// A path as an argument.
pub(crate) fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}
