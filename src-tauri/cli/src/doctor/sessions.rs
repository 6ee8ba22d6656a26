//! Sessions of people's own accounts: is there one, and who else gets to it.

use super::{
    check::{Answer, Check},
    rights::open_to_others,
    subject::Subject,
};
use foldback_channels::{is_signed_in_at, telegram_session_file};
use foldback_pipeline::config::{ChannelConfig, ChannelKind};
use foldback_wire::ChannelId;
use std::path::Path;

/// The question for the session file of an account on Telegram.
pub(super) fn check(subject: &Subject, id: &ChannelId, channel: &ChannelConfig) -> Option<Check> {
    let ChannelKind::Real(row) = channel.kind(id)? else {
        return None;
    };
    if row.code != "telegram_user" {
        return None;
    }
    let path = telegram_session_file(&subject.data, id);
    let asked = format!("the session file {}", path.display());
    let id = id.clone();
    Some(Check::blocking(
        format!("channels.{id}.account"),
        asked,
        move || look(&path, &id),
    ))
}

fn look(path: &Path, id: &ChannelId) -> Answer {
    if !is_signed_in_at(path) {
        let todo = format!("run `foldback telegram-user sign-in {id}`");
        return Answer::wrong("nobody has signed in to the account", &todo);
    }
    match open_to_others(path) {
        None => Answer::fine("there is one; it is not shown"),
        Some(mode) => Answer::note(
            format!(
                "there is one; other users may read the file ({mode}), and whoever has it has the account"
            ),
            &format!("chmod 600 {}", path.display()),
        ),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::doctor::check::State;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_session_is_missed_or_told_who_else_reads_it() {
        let data = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        set(data.path(), 0o755);
        let id = ChannelId::new("me");
        let path = telegram_session_file(data.path(), &id);
        let missing = look(&path, &id);
        assert_eq!(missing.state, State::Wrong);
        assert!(missing.todo.unwrap().contains("telegram-user sign-in me"));
        fs::create_dir(path.parent().unwrap()).unwrap();
        fs::write(&path, "{}").unwrap();
        assert_eq!(look(&path, &id).state, State::Wrong, "a file is no session");
        let session = r#"{"phone": "", "root": "", "account": 1, "home": 2, "centres": []}"#;
        fs::write(&path, session).unwrap();
        set(path.parent().unwrap(), 0o755);
        set(&path, 0o644);
        assert_eq!(look(&path, &id).state, State::Note);
        set(&path, 0o600);
        assert_eq!(look(&path, &id).state, State::Fine);
    }
}
