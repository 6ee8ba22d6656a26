//! A kept shell that is confined by bubblewrap.

use super::{Kept, until_gone};
use foldback_programs::Confinement;
use std::{fs, time::Duration};
use tempfile::TempDir;

#[tokio::test]
async fn it_is_confined_and_kept_and_still_on_its_terminal() {
    let private = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let secret = private.path().join("foldback.toml");
    fs::write(&secret, "secret").unwrap();
    let kept = Kept::with(|settings, _| {
        settings.timeout = Duration::from_secs(3);
        settings.confinement = Some(Confinement {
            bubblewrap: "/usr/bin/bwrap".into(),
            hidden: vec![secret.clone()],
            writable: Vec::new(),
        });
    });
    kept.run("x=kept; mkdir sub; cd sub").await;
    assert_eq!(
        kept.text("echo \"$x\"; basename \"$PWD\"; [ -t 1 ] && echo terminal")
            .await,
        "kept\nsub\nterminal\n"
    );
    assert_eq!(
        kept.text(&format!("cat {} 2>&1 | grep -c '^secret'", secret.display()))
            .await,
        "0\n"
    );
    assert_eq!(
        kept.only(&format!("echo x >{}", secret.display())).await.exit,
        Some(1)
    );
    assert_eq!(kept.only("echo \"open").await.exit, Some(2));
    let item = kept.only("setsid sleep 600 & echo begun; sleep 600").await;
    assert_eq!((item.text.as_str(), item.exit), ("begun\n", None));
    until_gone(kept.path()).await;
    assert_eq!(kept.text("exit 5").await, "");
}
