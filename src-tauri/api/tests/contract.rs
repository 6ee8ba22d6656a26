//! The contract from outside: every command has a name, and what goes wrong at the boundary is said.

use foldback_api::{Backend, COMMANDS, Setup, Signature, Signatures, call, signatures};
use foldback_store::MemoryJournal;
use foldback_wire::{Actor, rpc::Failure};
use serde_json::{Value, json};
use std::sync::Arc;
use tempfile::TempDir;

async fn host() -> (Backend, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut setup = Setup::embedded(
        folder.path().to_owned(),
        folder.path().join("fixtures"),
        Actor::Cli,
    );
    setup.demo = false;
    setup.journal = Some(Arc::new(MemoryJournal::new()));
    (Backend::open(setup).await.unwrap(), folder)
}

#[tokio::test]
async fn what_is_no_command_is_said() {
    let (host, _folder) = host().await;
    assert_eq!(
        call(&host, "reboot", json!({})).await,
        Err(Failure {
            code: "unknown_command".into(),
            message: "There is no command `reboot`.".into(),
            hint: Some("`foldback schema commands` lists them.".into()),
        })
    );
}

#[tokio::test]
async fn arguments_of_another_shape_are_said_with_what_is_missing() {
    let (host, _folder) = host().await;
    assert_eq!(
        call(&host, "turn", json!({"number": 1})).await,
        Err(Failure {
            code: "bad_arguments".into(),
            message: "`turn` cannot read its arguments: missing field `turn`.".into(),
            hint: None,
        })
    );
}

#[tokio::test]
async fn every_command_is_known_by_its_name() {
    let (host, _folder) = host().await;
    for name in COMMANDS {
        // A text is nobody's arguments.
        let failure = call(&host, name, Value::from("?")).await.unwrap_err();
        assert_eq!(failure.code, "bad_arguments", "{name}");
    }
}

#[test]
fn the_types_of_every_command_are_shown_in_order() {
    #[derive(Default)]
    struct Names(Vec<&'static str>);
    impl Signatures for Names {
        fn command<A: ts_rs::TS + 'static, R: ts_rs::TS + 'static>(&mut self, signature: Signature) {
            assert!(signature.about.ends_with('.'), "{}", signature.name);
            self.0.push(signature.name);
        }
    }
    let mut names = Names::default();
    signatures(&mut names);
    assert_eq!(names.0, COMMANDS);
    assert_eq!(COMMANDS.len(), 89);
}

#[tokio::test]
async fn the_closed_sets_and_templates_are_data() {
    let (host, _folder) = host().await;
    let catalog = call(&host, "catalog", json!({})).await.unwrap();
    for set in [
        "hold_reasons",
        "diagnostics",
        "range_reasons",
        "outcomes",
        "stages",
        "gates",
        "filter_fields",
        "templates",
    ] {
        let entries = catalog[set].as_array().unwrap();
        assert!(entries.len() >= 8, "{set}");
        assert!(
            entries
                .iter()
                .all(|e| e["about"].as_str().is_some_and(|about| about.ends_with('.'))),
            "{set}"
        );
    }
}
