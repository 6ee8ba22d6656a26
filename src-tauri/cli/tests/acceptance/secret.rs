//! `foldback secret`, as far as it goes without a keyring; `tests/peers/keyring` has one.

use crate::foldback::{Ran, run};
use std::process::Command;

/// No keyring can be reached.
fn without_keyring(args: &[&str], stdin: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foldback"));
    command
        .args(args)
        .env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
    run(command, stdin)
}

#[test]
fn a_keyring_that_cannot_be_asked_is_told_with_what_works_instead() {
    for (args, stdin) in [
        (&["secret", "set", "telegram"][..], "123456:the-token\n"),
        (&["secret", "remove", "telegram"], ""),
    ] {
        let Ran {
            code, stderr: said, ..
        } = without_keyring(args, stdin);
        assert_eq!(code, 2, "{said}");
        assert!(
            said.contains("telegram") && said.contains("environment variable"),
            "{said}"
        );
        assert!(!said.contains("the-token"), "{said}");
    }
}

#[test]
fn an_empty_secret_is_not_kept() {
    let Ran {
        code, stderr: said, ..
    } = without_keyring(&["secret", "set", "telegram"], "\n");
    assert_eq!(code, 2);
    assert!(said.contains("empty"), "{said}");
}
