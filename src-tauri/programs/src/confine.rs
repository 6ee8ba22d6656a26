//! A program that sees the machine, changes nothing of it, and does not see what is ours: bubblewrap
//! (<https://github.com/containers/bubblewrap>) around it.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

/// Folders that are empty in there: sockets of services and other people's temporary files.
const EMPTY: [&str; 3] = ["/tmp", "/var/tmp", "/run"];
/// Below [`EMPTY`], but names cannot be resolved without it on systems with systemd-resolved.
const RESOLVER: &str = "/run/systemd/resolve";
/// The program's own home, in its folder.
const HOME: &str = "home";

/// A space of its own for a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// The program bubblewrap, as an absolute path.
    pub bubblewrap: PathBuf,
    /// Files and folders that the program does not see. Those that do not exist when it starts are left out.
    pub hidden: Vec<PathBuf>,
    /// Folders that it may write, beside its own and temporary ones. They exist.
    pub writable: Vec<PathBuf>,
}

/// A program that is to be confined.
#[derive(Debug, Clone, Copy)]
pub struct ConfinedProgram<'a> {
    /// The program: a path, or a name to be found in `PATH`.
    pub program: &'a Path,
    /// The folder that it works in and may write. It exists.
    pub folder: &'a Path,
    /// A folder that it may read, wherever it lies.
    pub readable: Option<&'a Path>,
    /// True where its home is a folder below its own one.
    pub own_home: bool,
    /// True where it keeps the terminal that it leads. Only a terminal that is its alone may be kept: it can write into the
    /// input of the one that it has.
    pub keeps_terminal: bool,
}

impl Confinement {
    /// The arguments of bubblewrap up to the program.
    ///
    /// # Errors
    /// A folder does not exist, or the program's home cannot be made.
    pub fn arguments(&self, confined: &ConfinedProgram<'_>) -> io::Result<Vec<OsString>> {
        let folder = fs::canonicalize(confined.folder)?;
        let mut space = Space::default();
        space.push(&[
            "--die-with-parent",
            "--unshare-user",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            "--unshare-cgroup-try",
            "--cap-drop",
            "ALL",
        ]);
        if !confined.keeps_terminal {
            space.push(&["--new-session"]);
        }
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
        if let Ok(program) = fs::canonicalize(confined.program) {
            space.show("--ro-bind", &program);
        }
        if let Some(readable) = confined.readable {
            space.show("--ro-bind", &fs::canonicalize(readable)?);
        }
        for writable in &self.writable {
            space.show("--bind", &fs::canonicalize(writable)?);
        }
        space.show("--bind", &folder);
        if confined.own_home {
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
