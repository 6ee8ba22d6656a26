//! Files of the bot itself in the folder that an agent sends from: a directive could name them.

use foldback_pipeline::config::Config;
use std::path::{Path, PathBuf};

/// The folder that files are sent from has a file in it that no chat may get.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} has {} in it, {what}, which an agent could send; name a folder of its own",
    folder.display(), file.display()
)]
pub struct Exposed {
    /// The folder.
    pub folder: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// Its meaning for the bot, such as `the journal`.
    pub what: &'static str,
}

/// Refuses a folder that files are sent from where the configuration, a secret or the journal lies in it.
///
/// # Errors
/// With the first of these files.
pub fn check_send_dir(
    config: &Config,
    base: &Path,
    file: Option<&Path>,
    journal: &Path,
) -> Result<(), Exposed> {
    let folder = real(&base.join(&config.files.send_dir));
    let own = file.map(|file| (file.to_owned(), "the configuration"));
    let journal = (journal.to_owned(), "the journal");
    let secrets = config.secret_files().map(|file| (base.join(file), "a secret"));
    let mut files = own.into_iter().chain([journal]).chain(secrets);
    match files.find(|(file, _)| real(file).starts_with(&folder)) {
        Some((file, what)) => Err(Exposed { folder, file, what }),
        None => Ok(()),
    }
}

/// The path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| {
        let real = above.canonicalize().ok()?;
        Some((real, path.strip_prefix(above).ok()?))
    });
    there.map_or_else(|| path.to_owned(), |(real, rest)| real.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_pipeline::config::parse;

    #[test]
    fn what_belongs_to_the_bot_does_not_lie_where_files_are_sent_from() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        std::fs::create_dir(base.join("out")).unwrap();
        let check = |send_dir: &str, token: &str| {
            let text = format!(
                "[files]\nsend_dir = \"{send_dir}\"\n[channels.slack]\ntoken = {{ file = \"{token}\" }}\n"
            );
            let config = parse(&text, Path::new("foldback.toml")).unwrap();
            let (file, journal) = (base.join("foldback.toml"), base.join("data/journal.sqlite"));
            check_send_dir(&config, base, Some(&file), &journal).map_err(|exposed| exposed.what)
        };
        assert_eq!(check("out", "token"), Ok(()));
        assert_eq!(
            check("data/outbound", "token"),
            Ok(()),
            "the default, beside the journal"
        );
        assert_eq!(check("out", "out/token"), Err("a secret"));
        assert_eq!(check("out", "out/../token"), Ok(()));
        assert_eq!(check("data", "token"), Err("the journal"));
        assert_eq!(check(".", "token"), Err("the configuration"));
        let hook = "[files]\nsend_dir = \"out\"\n[[hooks]]\nname = \"told\"\nwhere = \"\"\n\
                    url = \"https://example.org\"\nsecret = { file = \"out/hook\" }\n";
        let hook = parse(hook, Path::new("foldback.toml")).unwrap();
        let exposed = check_send_dir(&hook, base, None, &base.join("data/journal.sqlite"));
        assert_eq!(exposed.map_err(|exposed| exposed.what), Err("a secret"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(base, base.join("out/link")).unwrap();
            assert_eq!(check("out/link", "token"), Err("the configuration"));
        }
    }
}
