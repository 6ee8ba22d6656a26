//! Lines out of outlines against lines out of all events, for every turn that a fixture plays.

use super::OutlinedLine;
use crate::TurnFold;
use foldback_replay::{
    Job, Options,
    fixture::{find, load},
    keep, run_all,
};
use foldback_store::{Journal, MemoryJournal, SqliteJournal};
use foldback_wire::{Event, Seq, TurnId};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Journals with the turns of all fixtures.
async fn journals(folder: &Path) -> [Box<dyn Journal>; 2] {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let paths = find(&fixtures).unwrap().fixtures;
    let fixtures: Vec<_> = paths.iter().map(|path| (path, load(path).unwrap())).collect();
    let jobs: Vec<_> = fixtures
        .iter()
        .flat_map(|(path, fixture)| {
            let path = path.as_path();
            let job = move |platform| Job {
                path,
                fixture,
                platform,
            };
            fixture.channel.platforms().iter().copied().map(job)
        })
        .collect();
    let mut played = Vec::new();
    tokio::task::block_in_place(|| {
        run_all(&jobs, None, &Options::default(), |_, case| {
            played.push(case.unwrap().events);
            true
        });
    });
    let file = SqliteJournal::open(folder.join("journal.sqlite")).await.unwrap();
    let journals: [Box<dyn Journal>; 2] = [Box::new(MemoryJournal::new()), Box::new(file)];
    for events in played {
        for journal in &journals {
            keep(journal.as_ref(), &events).await.unwrap();
        }
    }
    journals
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_out_of_an_outline_is_the_line_out_of_all_events() {
    let folder = tempfile::tempdir().unwrap();
    for journal in journals(folder.path()).await {
        let mut turns: BTreeMap<TurnId, Vec<Event>> = BTreeMap::new();
        for event in journal.read(Seq(1), usize::MAX).await.unwrap() {
            if let Some(turn) = event.turn {
                turns.entry(turn).or_default().push(event);
            }
        }
        let numbers: BTreeSet<_> = turns.keys().copied().collect();
        let folds: BTreeMap<_, _> = turns
            .iter()
            .map(|(turn, events)| (*turn, TurnFold::of(*turn, events)))
            .collect();
        let ended = folds.values().filter(|fold| fold.terminal().is_some()).count();
        assert!(ended > 100, "{ended} turns");
        for texts in [1, 4, 128] {
            let outlines = journal.outlines(&numbers, texts).await.unwrap();
            // Some scenarios end in the middle of a hold.
            assert!(outlines.len() * 10 > ended * 9, "{} of {ended}", outlines.len());
            let mut whole = 0;
            for outline in outlines {
                let fold = &folds[&outline.turn];
                let line = OutlinedLine::of(&outline).unwrap();
                assert_eq!(line.settled, fold.settled(), "{}", outline.turn);
                let mut summary = line.summary;
                let told = fold.summary().unwrap();
                if line.lacks_text {
                    summary.answer.clone_from(&told.answer);
                } else {
                    whole += 1;
                }
                assert_eq!(summary, told);
            }
            assert!(
                whole > 0 && (texts < 128 || whole * 10 > ended * 9),
                "{whole} of {ended}"
            );
        }
    }
}
