//! A replay has a folder of its own for files, whatever `files.send_dir` says: it neither reads, writes nor
//! deletes a file of the machine.

use foldback_channels::platform;
use foldback_pipeline::config::{Config, embedded};
use foldback_replay::{
    Case, Options, Played, fixture,
    recording::{Head, Recording, play},
    run,
};
use foldback_wire::{Event, rpc::Verdict};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// A folder with files that are somebody's.
struct Real {
    folder: TempDir,
}

impl Real {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.txt", "b.txt"] {
            fs::write(folder.path().join(name), "mine").unwrap();
        }
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Nothing came, nothing went, nothing changed.
    fn is_untouched(&self) {
        let found: BTreeMap<PathBuf, String> = fs::read_dir(self.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
            .collect();
        let expected = ["a.txt", "b.txt"].map(|name| (self.path().join(name), "mine".to_owned()));
        assert_eq!(found, BTreeMap::from(expected));
    }
}

/// A scenario whose agent sends these files and wants them deleted.
fn scenario(send_dir: &str, paths: &[&str]) -> String {
    let tag = |path: &&str| format!("<send-file path='{path}' cleanup='true'/>");
    let tags: String = paths.iter().map(tag).collect();
    let expect: String = paths.iter().map(|_| "  - file: {}\n").collect();
    format!(
        "name: x\nchannel: telegram\nconfig: {{files: {{send_dir: {send_dir:?}, allow_cleanup: true}}}}\nsteps:\n  \
         - user: {{text: hi}}\n  - agent: [\"<actions>{tags}</actions>\"]\nexpect:\n{expect}"
    )
}

fn played(yaml: &str) -> Played {
    let path = Path::new("x.yaml");
    let fixture = fixture::parse(path, yaml).unwrap();
    let played = run(path, &fixture, platform::TELEGRAM, &Options::default()).unwrap();
    assert_eq!(
        played.case.verdict,
        Verdict::Pass,
        "{:#?}",
        played.case.mismatches
    );
    played
}

/// A recording made under a configuration with this folder.
fn again(send_dir: impl Into<PathBuf>, events: Vec<Event>) -> Case {
    let mut config: Config = embedded();
    config.files.send_dir = send_dir.into();
    config.files.allow_cleanup = true;
    let head = Head::of(&config);
    let recording = Recording { head, events };
    let path = Path::new("x.jsonl");
    play(path, &recording, &"telegram".into(), &Options::default())
        .unwrap()
        .0
}

#[test]
fn an_absolute_folder_is_only_a_name() {
    let real = Real::new();
    let absolute = real.path().join("b.txt");
    let folder = real.path().to_str().unwrap();
    played(&scenario(
        folder,
        &["a.txt", absolute.to_str().unwrap(), "new.txt"],
    ));
    real.is_untouched();
}

#[test]
fn a_folder_above_is_only_a_name() {
    let name = format!("foldback-above-{}", std::process::id());
    played(&scenario(&format!("../{name}"), &["a.txt"]));
    assert!(!std::env::temp_dir().join(name).exists());
}

#[test]
fn files_that_a_scenario_lists_may_be_named_below_an_absolute_folder() {
    let real = Real::new();
    let folder = real.path().to_str().unwrap();
    let listed = format!("{folder}/listed.txt");
    let away = real.path().join("../away.txt");
    let files = format!("files: {{{listed:?}: x, {away:?}: x, {folder:?}: x}}\n");
    played(&(files + &scenario(folder, &["listed.txt"])));
    real.is_untouched();
}

#[test]
fn a_recording_made_with_an_absolute_folder_leaves_it_alone() {
    let real = Real::new();
    let absolute = real.path().join("b.txt");
    let folder = real.path().to_str().unwrap();
    let events = played(&scenario(folder, &["a.txt", absolute.to_str().unwrap()])).events;
    let case = again(real.path(), events);
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
    real.is_untouched();
}

#[test]
fn where_a_relative_folder_lay_follows_from_what_was_sent() {
    let events = played(&scenario("/srv/bot/out", &["/srv/bot/out/sub/a.txt"])).events;
    let case = again("out", events);
    assert_eq!(case.verdict, Verdict::Pass, "{:#?}", case.mismatches);
}

#[test]
fn a_path_that_nothing_places_below_the_folder_is_named() {
    let events = played(&scenario("/srv/bot/out", &["/srv/bot/out/a.txt"])).events;
    let case = again("/elsewhere", events);
    assert_eq!(case.verdict, Verdict::Changed);
    let message = &case.mismatches[0].message;
    assert!(
        message.contains("/srv/bot/out/a.txt") && message.contains("files.send_dir"),
        "{message}"
    );
}
