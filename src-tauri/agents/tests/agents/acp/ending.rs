//! The order in which a process is ended, as the process itself sees it.

use super::{Bench, failed, processes};
use crate::support::said;
use foldback_agents::AcpConfig;
use foldback_wire::AgentFault;
use std::{fs, path::Path, time::Duration};

/// A grace that passes only where a test sets the clock forward, and never where the time is real.
const GRACE: Duration = Duration::from_hours(500);
/// A test that waits for so long hangs; none depends on it otherwise.
const PATIENCE: Duration = Duration::from_mins(2);

/// A shell that hands its input on to the agent, line by line, and writes into the file `seen` what it sees of its
/// end. Nobody may read its standard error by then.
const WITNESS: &str = r#"
exec 2> /dev/null
trap 'echo SIGTERM >> seen' TERM
mkfifo in
$AGENT < in &
exec 3> in
while IFS= read -r line; do
  case "$line" in *'"session/cancel"'*) echo cancel >> seen ;; esac
  printf '%s\n' "$line" >&3
done
echo 'end of input' >> seen
exec 3>&-
"#;
/// Ends when its agent has, and leaves a signal that comes too soon the time to be seen.
const ENDS: &str = "wait; sleep 0.3; echo ended >> seen";
/// Minds neither the end of its input nor SIGTERM.
const STAYS: &str = "while :; do sleep 3600 & wait $!; done";

/// Puts the witness in front of the agent.
fn witnessed(config: &mut AcpConfig, then: &str) {
    let agent = format!("{} {}", config.program.display(), config.args.join(" "));
    config.env.insert("AGENT".to_owned(), agent);
    config.program = "/bin/sh".into();
    config.args = vec!["-c".to_owned(), format!("{WITNESS}{then}")];
    config.limits.stop = GRACE;
}

fn seen(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("seen")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Waits until the witness has seen so many things, and gives them.
async fn seen_so_many(bench: &Bench, things: usize) -> Vec<String> {
    let seen = async {
        loop {
            let seen = seen(bench.folder.path());
            if seen.len() >= things {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let seen = tokio::time::timeout(PATIENCE, seen).await;
    seen.unwrap_or_else(|_| panic!("it saw only {:?}", self::seen(bench.folder.path())))
}

/// Waits until nobody lives in the folder any more. The clock stands still meanwhile.
async fn gone(folder: &Path) {
    let gone = async {
        while processes(folder) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let gone = tokio::time::timeout(PATIENCE, gone).await;
    gone.unwrap_or_else(|_| panic!("it still runs, and saw {:?}", seen(folder)));
}

#[tokio::test]
async fn it_is_cancelled_its_input_is_closed_then_comes_sigterm_and_then_sigkill() {
    let bench = Bench::with("other", |config| witnessed(config, STAYS));
    let (running, _) = bench.deaf().await;
    assert!(seen(bench.folder.path()).is_empty());
    bench.clock.jump(Duration::from_mins(2));
    assert_eq!(failed(&running.rest().await).0, AgentFault::Timeout);
    assert_eq!(seen_so_many(&bench, 2).await, ["cancel", "end of input"]);
    // The grace has begun with the end of the input.
    bench.clock.jump(GRACE);
    assert_eq!(
        seen_so_many(&bench, 3).await,
        ["cancel", "end of input", "SIGTERM"]
    );
    assert!(bench.processes() > 0, "it minds no SIGTERM, and has its time");
    bench.clock.jump(GRACE);
    gone(bench.folder.path()).await;
    assert_eq!(seen(bench.folder.path()).len(), 3, "nothing else came");
}

#[tokio::test]
async fn an_agent_that_ends_with_its_input_gets_no_signal() {
    for forgotten in [false, true] {
        let bench = Bench::with("opencode", |config| witnessed(config, ENDS));
        assert_eq!(said(&bench.ask(1, "say a").await), "a");
        let Bench { agent, folder, clock } = bench;
        let kept = if forgotten {
            agent.forget(&"s1".into());
            Some(agent)
        } else {
            drop(agent);
            None
        };
        gone(folder.path()).await;
        assert_eq!(seen(folder.path()), ["end of input", "ended"]);
        drop((kept, clock));
    }
}

#[test]
fn at_the_end_of_the_runtime_it_gets_none_either() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    let bench = runtime.block_on(async {
        let bench = Bench::with("opencode", |config| witnessed(config, ENDS));
        assert_eq!(said(&bench.ask(1, "say a").await), "a");
        bench
    });
    drop(runtime);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("another").block_on(gone(bench.folder.path()));
    assert_eq!(seen(bench.folder.path()), ["end of input", "ended"]);
}
