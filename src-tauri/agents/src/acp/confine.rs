//! An agent that sees the machine, changes nothing of it, and does not see what is ours: bubblewrap
//! (<https://github.com/containers/bubblewrap>) around its program.

use super::config::{AcpConfig, Confinement};
use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// Folders that are empty in there: sockets of services and other people's temporary files.
const EMPTY: [&str; 3] = ["/tmp", "/var/tmp", "/run"];
/// Below [`EMPTY`], but names cannot be resolved without it on systems with systemd-resolved.
const RESOLVER: &str = "/run/systemd/resolve";
/// The agent's own home, in its folder.
const HOME: &str = "home";

impl Confinement {
    /// The arguments of bubblewrap up to the agent's program. `files` is the folder of what users sent.
    ///
    /// # Errors
    /// The agent's home cannot be made.
    pub(super) fn arguments(&self, config: &AcpConfig, files: Option<&Path>) -> io::Result<Vec<OsString>> {
        let folder = fs::canonicalize(&config.directory)?;
        let mut space = Space::default();
        space.push(&[
            "--die-with-parent",
            "--new-session",
            "--unshare-user",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
            "--cap-drop",
            "ALL",
        ]);
        space.mount("--ro-bind", &["/", "/"]);
        space.push(&["--dev", "/dev", "--proc", "/proc"]);
        for empty in EMPTY {
            space.hide(Path::new(empty));
        }
        space.mount("--ro-bind-try", &[RESOLVER, RESOLVER]);
        for hidden in &self.hidden {
            if let Ok(hidden) = fs::canonicalize(hidden) {
                space.hide(&hidden);
            }
        }
        // It has to be there, wherever it lies.
        if let Ok(program) = fs::canonicalize(&config.program) {
            space.show("--ro-bind", &program);
        }
        if let Some(files) = files {
            space.show("--ro-bind", &fs::canonicalize(files)?);
        }
        for writable in &self.writable {
            space.show("--bind", &fs::canonicalize(writable)?);
        }
        space.show("--bind", &folder);
        if !config.env.contains_key("HOME") {
            let home = folder.join(HOME);
            fs::create_dir_all(&home)?;
            space.mount("--setenv", &[Path::new("HOME"), &home]);
        }
        space.push(&["--setenv", "TMPDIR", "/tmp"]);
        space.mount("--chdir", &[&folder]);
        space.push(&["--"]);
        Ok(space.arguments)
    }
}

/// Arguments, in the order in which bubblewrap performs them.
#[derive(Default)]
struct Space {
    arguments: Vec<OsString>,
    hidden: Vec<PathBuf>,
}

impl Space {
    fn push(&mut self, words: &[&str]) {
        self.arguments.extend(words.iter().map(OsString::from));
    }

    fn mount(&mut self, how: &str, paths: &[impl AsRef<Path>]) {
        self.arguments.push(how.into());
        let paths = paths.iter().map(|path| path.as_ref().as_os_str().to_owned());
        self.arguments.extend(paths);
    }

    fn is_hidden(&self, path: &Path) -> bool {
        self.hidden.iter().any(|hidden| path.starts_with(hidden))
    }

    /// Puts nothing in the place of a file or folder, which exists.
    fn hide(&mut self, path: &Path) {
        if self.is_hidden(path) {
            return;
        }
        if path.is_dir() {
            self.mount("--tmpfs", &[path]);
        } else {
            self.mount("--ro-bind", &[Path::new("/dev/null"), path]);
        }
        self.hidden.push(path.to_owned());
    }

    /// Shows what may lie below something hidden.
    fn show(&mut self, how: &str, path: &Path) {
        if how == "--bind" || self.is_hidden(path) {
            self.mount(how, &[path, path]);
        }
    }
}
