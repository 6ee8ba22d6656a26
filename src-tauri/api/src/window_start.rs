//! The start of the program with the window: the files and links that it was given, the window that runs already, the
//! bot behind a new one.

use crate::{Backend, DemoStart, Setup, WindowOrder, failure, order_window, places};
use foldback_wire::{Actor, LINK_SCHEME, rpc::Failure};
use std::{ffi::OsString, io, time::Duration};
use tracing_subscriber::EnvFilter;

/// Levels of the log where those that were named cannot be read. A window starts all the same, and says so.
const LEVELS: &str = "info";

/// Longest time that a program which ends waits for the start of its bot.
const LONGEST_START: Duration = Duration::from_secs(10);

/// A start of the program with the window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowStart {
    /// Files by their absolute paths, and links.
    targets: Vec<String>,
}

impl WindowStart {
    /// Reads the arguments of the program, without its own name. Flags are those of a desktop or of a web view, and a
    /// name that is not UTF-8 cannot be given to a page: both are left out.
    pub fn from_arguments(arguments: impl IntoIterator<Item = OsString>) -> Self {
        let named = arguments.into_iter().filter_map(|name| name.into_string().ok());
        let targets = named.filter(|name| !name.is_empty() && !name.starts_with('-'));
        Self {
            // The page says of a target that cannot be found what is wrong with it.
            targets: targets
                .map(|target| absolute_target(&target).unwrap_or(target))
                .collect(),
        }
    }

    /// Hands the targets to a window that runs already. False where none runs, and where there are none: each start
    /// without a target is a window of its own.
    pub async fn hand_over(&self) -> bool {
        if self.targets.is_empty() {
            return false;
        }
        let Ok(setup) = setup() else { return false };
        let told = order_window(&setup.journal_file(), self.order()).await;
        matches!(told, Some(Ok(_)))
    }

    /// Starts the bot that the configuration describes, or the embedded default, and asks its window to open the targets.
    ///
    /// # Errors
    /// A failure in sentences for the window: without a data folder, where the configuration is wrong, and where the
    /// bot cannot start.
    pub async fn open_backend(&self) -> Result<Backend, Failure> {
        let mut setup = setup()?;
        setup.window = true;
        install_log(&mut setup);
        setup.log_in_words();
        let backend = Backend::open(setup)
            .await
            .map_err(|error| failure::cannot_start(&error))?;
        if !self.targets.is_empty() {
            backend.ask_window(self.order())?;
        }
        Ok(backend)
    }

    fn order(&self) -> WindowOrder {
        WindowOrder::Open {
            targets: self.targets.clone(),
        }
    }
}

/// Ends the bot of a window in order. One that is still starting may have begun its journal, so that its start is awaited, for
/// at most ten seconds; what is cut then is what a kill would cut.
pub async fn end_started(start: impl Future<Output = Result<&Backend, Failure>>) {
    let Ok(Ok(backend)) = tokio::time::timeout(LONGEST_START, start).await else {
        return;
    };
    if let Err(error) = backend.shutdown().await {
        tracing::error!(%error, "the journal is not closed in order");
    }
}

/// A target as a window in another folder understands it: a link as it is, a file by its absolute path.
///
/// # Errors
/// Fails where the file has no absolute path, or none in UTF-8, which is all that a window takes.
pub fn absolute_target(target: &str) -> io::Result<String> {
    if target.starts_with(LINK_SCHEME) {
        return Ok(target.to_owned());
    }
    let path = std::path::absolute(target)?;
    path.into_os_string().into_string().map_err(|path| {
        let path = path.to_string_lossy();
        io::Error::other(format!(
            "{path}: the window takes only names in UTF-8; rename the file"
        ))
    })
}

fn setup() -> Result<Setup, Failure> {
    let file = places::config_file();
    let mut setup =
        Setup::in_places(file.as_deref(), Actor::Console).map_err(|error| failure::no_setup(&error))?;
    if file.is_none() {
        setup.demo_start = DemoStart::EveryStart;
    }
    Ok(setup)
}

/// Installs the app's own log: in the drawer of the window, and the same lines on stderr.
fn install_log(setup: &mut Setup) {
    let (levels, unreadable) = match setup.log_levels() {
        Ok(levels) => (levels, None),
        Err(error) => (EnvFilter::new(LEVELS), Some(error)),
    };
    let installed = setup.install_log(levels, |line| {
        eprintln!("{} {:5} {} {}", line.at, line.level, line.target, line.message);
    });
    if let Err(error) = installed {
        eprintln!("foldback-desktop: {error}");
    }
    if let Some(error) = unreadable {
        tracing::warn!("{error}; the levels are `{LEVELS}`");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_absolute_paths_and_links() {
        let start = WindowStart::from_arguments(
            [
                "--gapplication-service",
                "",
                "log.jsonl",
                "/a/b.yaml",
                "foldback://turn/10@+631ms",
            ]
            .map(OsString::from),
        );
        let here = std::path::absolute("log.jsonl").unwrap();
        let here = here.into_os_string().into_string().unwrap();
        assert_eq!(
            start.targets,
            [
                here,
                "/a/b.yaml".to_owned(),
                "foldback://turn/10@+631ms".to_owned()
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_utf_8_is_left_out() {
        use std::os::unix::ffi::OsStringExt as _;
        let start = WindowStart::from_arguments([OsString::from_vec(vec![0xff])]);
        assert!(start.targets.is_empty(), "{start:?}");
    }
}
