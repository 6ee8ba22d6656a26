//! A process that writes a journal is killed, again and again. Afterwards nothing that it was told is
//! missing, the numbering has no hole and no reuse, and outbox and events tell the same story.

mod check;
mod scribe;

use check::Told;
use foldback_store::{SqliteJournal, StoreError};
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

const KILLS: u64 = 60;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, scribe, path, seed] = arguments.as_slice()
        && scribe == "scribe"
    {
        runtime.block_on(scribe::write(Path::new(path), seed.parse().unwrap()));
    } else {
        runtime.block_on(kill_again_and_again());
    }
}

async fn kill_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.sqlite");
    let mut told = Told::default();
    for seed in 1..=KILLS {
        let chance = scribe::mix(seed);
        kill_one(
            &path,
            seed,
            chance % 150 + 1,
            Duration::from_micros(chance / 150 % 3_000),
            &mut told,
        )
        .await;
        let journal = SqliteJournal::open(&path)
            .await
            .expect("a killed process leaves no lock");
        told.check(&journal).await;
    }
    println!("{KILLS} kills: {told}");
}

/// Lets a process write, hears what it was told, and kills it some time after so many lines.
async fn kill_one(path: &Path, seed: u64, lines: u64, later: Duration, told: &mut Told) {
    let program = std::env::current_exe().unwrap();
    let mut scribe = Command::new(program)
        .args(["scribe", path.to_str().unwrap(), &seed.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut heard = BufReader::new(scribe.stdout.take().unwrap()).lines();
    for line in heard.by_ref().take(usize::try_from(lines).unwrap()) {
        told.hear(&line.unwrap());
    }
    let second = SqliteJournal::open(path).await.map(drop);
    assert_eq!(
        second,
        Err(StoreError::Locked(path.to_owned())),
        "one process at a time"
    );
    std::thread::sleep(later);
    scribe.kill().unwrap();
    scribe.wait().unwrap();
    // What it had been told by then counts, too; a line cut in two does not.
    for line in heard.map_while(Result::ok).filter(|line| line.ends_with('.')) {
        told.hear(&line);
    }
}
