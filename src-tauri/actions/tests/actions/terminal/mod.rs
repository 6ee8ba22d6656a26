//! Single commands in the real shell.

mod confined;
mod ending;
mod kept;
mod output;

use foldback_actions::{
    ActionAsker, ActionResult, ActionTable,
    terminal::{CommandRules, ShellSettings, Terminal},
};
use foldback_wire::{
    Clock, DELIVERY_DEPTH, DeliveryOutcome, JsonAction, ResultItem, Sleep, Span, Timestamp, TurnId, TurnKind,
};
use std::{
    fs,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use tempfile::TempDir;

/// The clock of this machine.
struct RealClock;

impl Clock for RealClock {
    fn now(&self) -> Timestamp {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Timestamp(now.as_millis().try_into().unwrap())
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

const OWNER: ActionAsker = ActionAsker {
    is_owner: true,
    is_listed: false,
    turn: TurnKind::Message,
    root: TurnKind::Message,
    depth: 0,
    most_depth: DELIVERY_DEPTH,
};

/// A terminal with a folder of its own.
struct Bench {
    folder: TempDir,
    table: ActionTable,
}

impl Bench {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut ShellSettings)) -> Self {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut settings = ShellSettings {
            folder: folder.path().join("work"),
            timeout: Duration::from_mins(1),
            max_output: 8 * 1024,
            confinement: None,
            guard: Some(env!("CARGO_BIN_EXE_foldback-command-guard").into()),
            redaction: None,
        };
        change(&mut settings);
        let terminal = Terminal::new(CommandRules::default(), settings, Arc::new(RealClock));
        let table = ActionTable::of(vec![Arc::new(terminal)]).unwrap();
        Self { folder, table }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn perform(&self, payload: serde_json::Value) -> ActionResult {
        let action = JsonAction {
            kind: "bash".to_owned(),
            payload: payload.to_string(),
            span: Span::default(),
        };
        let read = self.table.read(0, &action, OWNER).unwrap();
        assert!(read.confirmation.is_some(), "no list allows it");
        self.table
            .perform(&read, "7".into(), "chat".into(), TurnId(1), &RealClock)
            .await
    }

    async fn run(&self, command: &str) -> Vec<ResultItem> {
        let result = self.perform(serde_json::json!({"command": command})).await;
        assert_eq!(result.outcome, DeliveryOutcome::Output, "{result:?}");
        result.items
    }

    /// The one result of a command that says nothing on its error output.
    async fn only(&self, command: &str) -> ResultItem {
        let mut items = self.run(command).await;
        assert_eq!(items.len(), 1, "{items:?}");
        items.remove(0)
    }

    async fn text(&self, command: &str) -> String {
        self.only(command).await.text
    }

    /// Waits until the system has taken the last of its processes away.
    async fn until_gone(&self) {
        until_gone(self.path()).await;
    }
}

/// The processes that work in a folder.
fn processes(folder: &Path) -> Vec<String> {
    let folder = fs::canonicalize(folder).unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let here = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder));
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if here {
            found.push(name.trim().to_owned());
        }
    }
    found
}

/// Waits until the system has taken the last of them away.
async fn until_gone(folder: &Path) {
    for _ in 0..500 {
        if processes(folder).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("left behind: {:?}", processes(folder));
}

#[tokio::test]
async fn a_command_gives_its_output_and_its_exit_status() {
    let bench = Bench::new();
    let item = bench.only("echo hello; exit 3").await;
    assert_eq!(
        (item.label.as_str(), item.text.as_str(), item.exit),
        ("stdout", "hello\n", Some(3))
    );
    let item = bench.only("true").await;
    assert_eq!((item.text.as_str(), item.bytes, item.exit), ("", 0, Some(0)));
    assert_eq!(item.note.as_deref(), Some("no output"));
    let item = bench.only("exit 121").await;
    assert_eq!(
        item.exit,
        Some(121),
        "the guard's own code is no secret meaning of a command's"
    );
}

#[tokio::test]
async fn error_output_is_told_apart() {
    let items = Bench::new().run("echo out; echo err >&2; ls nowhere").await;
    let read: Vec<_> = items
        .iter()
        .map(|item| (item.label.as_str(), item.text.as_str()))
        .collect();
    assert_eq!(read[0], ("stdout", "out\n"));
    assert_eq!(read[1].0, "stderr");
    assert!(
        read[1].1.starts_with("err\n") && read[1].1.contains("nowhere"),
        "{read:?}"
    );
    assert_eq!(items[0].exit, Some(2));
}

/// What ended the shell of the ancestor, or made it wait for ever (synth.md, pitfalls 69 to 71).
#[tokio::test]
async fn no_command_breaks_the_one_after_it() {
    let bench = Bench::new();
    for (command, expected) in [
        ("printf foo", "foo"),
        ("echo a # and a comment", "a\n"),
        ("# only a comment", ""),
        ("cat <<'END'\nline $HOME\nEND", "line $HOME\n"),
        ("cat <<END\nno end", "no end\n"),
        ("sleep 600 &", ""),
        ("sleep 600 & echo begun", "begun\n"),
        ("echo 'a\nb'", "a\nb\n"),
        ("-x", ""),
        ("echo \"it's\"", "it's\n"),
        ("exec true; echo never", ""),
        ("cd /; export X=1; set -e", ""),
        ("echo \"${X:-unset} $(basename \"$PWD\")\"", "unset work\n"),
        ("trap 'echo bye' EXIT", "bye\n"),
    ] {
        let items = bench.run(command).await;
        assert_eq!(items[0].text, expected, "{command}: {items:?}");
        assert!(items[0].exit.is_some(), "{command}: {items:?}");
    }
    bench.until_gone().await;
}

#[tokio::test]
async fn it_has_no_input_and_nothing_of_our_environment() {
    let bench = Bench::new();
    assert_eq!(bench.text("cat; read -r line || echo none").await, "none\n");
    let names = bench.text("env | cut -d= -f1 | sort").await;
    let shells_own = ["OLDPWD", "PWD", "SHLVL", "TERM", "_"];
    let known = |name: &str| foldback_programs::PASSED_ON.contains(&name) || shells_own.contains(&name);
    assert!(names.lines().all(known), "{names}");
    assert!(
        std::env::var_os("CARGO_MANIFEST_DIR").is_some() && !names.contains("CARGO"),
        "{names}"
    );
    assert_eq!(bench.text("echo $TERM").await, "dumb\n");
}

#[tokio::test]
async fn it_works_in_its_folder() {
    let bench = Bench::new();
    bench.run("echo kept > file").await;
    assert_eq!(
        fs::read_to_string(bench.path().join("work/file")).unwrap(),
        "kept\n"
    );
    let result = bench.perform(serde_json::json!({"command": "echo a\0b"})).await;
    assert_eq!(result.outcome, DeliveryOutcome::Error, "{result:?}");
    let nowhere = Bench::with(|settings| settings.folder = "/proc/nowhere".into());
    let result = nowhere.perform(serde_json::json!({"command": "true"})).await;
    assert_eq!(result.outcome, DeliveryOutcome::Error);
    assert!(
        result.items[0]
            .text
            .starts_with("the command could not be started: "),
        "{result:?}"
    );
}

#[tokio::test]
async fn a_payload_that_is_no_command_is_refused_before() {
    let bench = Bench::new();
    for payload in [
        r#"{"command": ""}"#,
        r#"{"command": " \n\t"}"#,
        r#"{"command": ["ls"]}"#,
        r#"{"command": "ls", "persistent_session": true}"#,
        r#"{"command": "ls", "timeout": 0}"#,
        r#"{"command": "ls", "timeout": "10s"}"#,
        r#"{"comand": "ls"}"#,
    ] {
        let action = JsonAction {
            kind: "bash".to_owned(),
            payload: payload.to_owned(),
            span: Span::default(),
        };
        let refusal = bench.table.read(0, &action, OWNER).unwrap_err();
        assert!(!refusal.findings.is_empty(), "{payload}: {refusal:?}");
    }
}
