//! An agent that is confined by bubblewrap.

use super::{Bench, failed};
use crate::support::{answer, request, said};
use foldback_agents::AgentFile;
use foldback_programs::Confinement;
use foldback_wire::AgentFault;
use std::{fs, path::Path};
use tempfile::TempDir;

fn confined(hidden: &Path, bubblewrap: &str) -> Bench {
    let bubblewrap = bubblewrap.into();
    let outgoing = hidden.join("data/outgoing");
    let hidden = vec![
        hidden.join("data"),
        hidden.join("foldback.toml"),
        hidden.join("none"),
    ];
    Bench::with("opencode", |config| {
        config.confinement = Some(Confinement {
            bubblewrap,
            hidden,
            writable: vec![outgoing],
        });
    })
}

/// A place outside of the temporary files, with a folder and a file that are nobody's business.
fn private() -> TempDir {
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    fs::create_dir_all(folder.path().join("data/outgoing")).expect("a folder");
    fs::write(folder.path().join("data/token"), "secret").expect("a file");
    fs::write(folder.path().join("foldback.toml"), "secret").expect("a file");
    fs::write(folder.path().join("public"), "public").expect("a file");
    folder
}

#[tokio::test]
async fn it_reads_the_machine_and_writes_its_folder_and_sees_nothing_of_ours() {
    let private = private();
    let bench = confined(private.path(), "/usr/bin/bwrap");
    let at = private.path().display();
    for (command, expected) in [
        (format!("cat {at}/public"), "public"),
        (
            format!("cat {at}/foldback.toml {at}/data/token 2>&1 | grep -c secret"),
            "0\n",
        ),
        (format!("(echo x > {at}/public) 2>&1 | grep -c 'ead-only'"), "1\n"),
        (
            format!("(touch {at}/data/x; rm {at}/foldback.toml) 2>/dev/null; echo done"),
            "done\n",
        ),
        ("echo mine > own; cat own".to_owned(), "mine\n"),
        (
            format!("echo mine > {at}/data/outgoing/file; ls {at}/data/outgoing"),
            "file\n",
        ),
        ("echo mine > ~/own; cat home/own".to_owned(), "mine\n"),
        // Its folder lies there, and that of the files that users sent.
        (
            "ls -A /run /tmp | grep -c -v -e ^/ -e ^$ -e systemd -e foldback-agent- -e $(basename $PWD)"
                .to_owned(),
            "0\n",
        ),
        // The process of this test.
        (
            format!("test -e /proc/{} && echo seen || echo hidden", std::process::id()),
            "hidden\n",
        ),
    ] {
        let steps = bench.ask(1, &format!("shell {command}")).await;
        assert_eq!(said(&steps), expected, "{command}");
    }
    assert_eq!(
        fs::read_to_string(bench.folder.path().join("own")).expect("a file"),
        "mine\n"
    );
    for (name, words) in [
        ("public", "public"),
        ("foldback.toml", "secret"),
        ("data/token", "secret"),
    ] {
        assert_eq!(
            fs::read_to_string(private.path().join(name)).expect("a file"),
            words
        );
    }
    assert!(!private.path().join("data/x").exists());
    assert!(private.path().join("data/outgoing/file").exists());
    bench.end().await;
}

#[tokio::test]
async fn it_sees_the_files_that_users_sent() {
    let private = private();
    let bench = confined(private.path(), "/usr/bin/bwrap");
    let mut request = request(1, "given");
    request.files = vec![AgentFile {
        name: "data.bin".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        bytes: b"raw"[..].into(),
    }];
    let steps = answer(&bench.agent, request).await;
    assert!(said(&steps).contains(r#""read":"raw""#), "{steps:?}");
    bench.end().await;
}

#[tokio::test]
async fn what_it_started_ends_with_it() {
    let private = private();
    let bench = confined(private.path(), "/usr/bin/bwrap");
    let command = "shell (setsid sh -c 'trap \"\" TERM; sleep 3600; true' > /dev/null 2>&1 &); echo begun";
    assert_eq!(said(&bench.ask(1, command).await), "begun\n");
    bench.end().await;
}

#[tokio::test]
async fn without_bubblewrap_it_does_not_run() {
    let private = private();
    let bench = confined(private.path(), "/nowhere/bwrap");
    let steps = bench.ask(1, "say a").await;
    let (fault, detail) = failed(&steps);
    assert_eq!(fault, AgentFault::Unreachable);
    assert!(
        detail.starts_with("/nowhere/bwrap cannot be started in "),
        "{detail}"
    );
}
