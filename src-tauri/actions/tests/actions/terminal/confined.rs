//! A command that is confined by bubblewrap.

use super::Bench;
use foldback_programs::Confinement;
use foldback_wire::DeliveryOutcome;
use std::{fs, path::Path, time::Duration};
use tempfile::TempDir;

fn confined(bubblewrap: &str, hidden: &Path) -> Bench {
    Bench::with(|settings| {
        settings.timeout = Duration::from_secs(5);
        settings.confinement = Some(Confinement {
            bubblewrap: bubblewrap.into(),
            hidden: vec![hidden.join("foldback.toml")],
            writable: Vec::new(),
        });
    })
}

fn private() -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    fs::write(folder.path().join("foldback.toml"), "secret").unwrap();
    fs::write(folder.path().join("public"), "public").unwrap();
    folder
}

#[tokio::test]
async fn it_writes_its_folder_only_and_sees_nothing_of_ours() {
    let private = private();
    let bench = confined("/usr/bin/bwrap", private.path());
    let at = private.path().display();
    for (command, expected) in [
        (format!("cat {at}/public"), "public"),
        (format!("cat {at}/foldback.toml 2>&1 | grep -c secret"), "0\n"),
        (format!("(echo x > {at}/public) 2>&1 | grep -c 'ead-only'"), "1\n"),
        ("echo mine > own; cat own".to_owned(), "mine\n"),
        ("echo mine > ~/own; cat home/own".to_owned(), "mine\n"),
        (
            format!("test -e /proc/{} && echo seen || echo hidden", std::process::id()),
            "hidden\n",
        ),
    ] {
        assert_eq!(bench.text(&command).await, expected, "{command}");
    }
    assert_eq!(
        fs::read_to_string(private.path().join("public")).unwrap(),
        "public"
    );
    assert_eq!(
        fs::read_to_string(bench.path().join("work/own")).unwrap(),
        "mine\n"
    );
}

#[tokio::test]
async fn its_exit_status_and_its_time_are_its_own() {
    let private = private();
    let bench = confined("/usr/bin/bwrap", private.path());
    assert_eq!(bench.only("echo a; exit 7").await.exit, Some(7));
    let item = bench.only("setsid sleep 600 & echo begun; sleep 600").await;
    assert_eq!((item.text.as_str(), item.exit), ("begun\n", None));
    bench.until_gone().await;
}

#[tokio::test]
async fn without_bubblewrap_it_does_not_run() {
    let private = private();
    let bench = confined("/nowhere/bwrap", private.path());
    let result = bench.perform(serde_json::json!({"command": "touch ran"})).await;
    assert_eq!(result.outcome, DeliveryOutcome::Error, "{result:?}");
    assert!(!bench.path().join("work/ran").exists());
}
