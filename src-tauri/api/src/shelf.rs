//! Where fixtures stand: a person's own folder, and perhaps one that came with the program and belongs to the
//! system. What a person changes goes into the own folder and stands before what came with the program.

use foldback_replay::fixture::{self, Unreadable};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The folders of examples below a folder of fixtures.
const EXAMPLES: [&str; 2] = ["recordings", "transcripts"];

/// The folders of fixtures. Either may be missing: then it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shelf {
    /// Read and written.
    pub own: PathBuf,
    /// Only read.
    pub shipped: Option<PathBuf>,
}

impl From<PathBuf> for Shelf {
    /// One folder for all.
    fn from(own: PathBuf) -> Self {
        Self { own, shipped: None }
    }
}

impl Shelf {
    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.shipped.as_deref().into_iter().chain([self.own.as_path()])
    }

    /// Every fixture's file by its name, in the order of the names. A name is a path below either folder, with
    /// `/`, as clients say it.
    pub(crate) fn all(&self) -> Result<BTreeMap<String, PathBuf>, Unreadable> {
        let mut all = BTreeMap::new();
        for folder in self.folders().filter(|folder| folder.is_dir()) {
            // The own folder comes last, and so stays.
            for file in fixture::find(folder)?.fixtures {
                all.insert(self.name(&file), file);
            }
        }
        Ok(all)
    }

    /// The recordings and the files of other systems that lie beside the fixtures, in the order of their names. A folder
    /// of such a file's parts is one.
    pub(crate) fn examples(&self) -> io::Result<BTreeMap<String, PathBuf>> {
        let mut all = BTreeMap::new();
        let folders = self
            .folders()
            .flat_map(|folder| EXAMPLES.map(|name| folder.join(name)));
        for folder in folders.filter(|folder| folder.is_dir()) {
            for entry in fs::read_dir(&folder)? {
                let path = entry?.path();
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                let about = path.extension().is_some_and(|extension| extension == "md");
                let shown = name.filter(|name| !about && !name.starts_with('.'));
                all.extend(shown.map(|name| (name, path)));
            }
        }
        Ok(all)
    }

    /// Where a fixture is read; nothing outside of the folders can be named.
    pub(crate) fn file(&self, name: &str) -> Option<PathBuf> {
        let own = self.place(name)?;
        let shipped = self.shipped.as_deref().map(|folder| folder.join(name));
        Some(
            shipped
                .filter(|file| !own.exists() && file.exists())
                .unwrap_or(own),
        )
    }

    /// Where a fixture is written.
    pub(crate) fn place(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let yaml = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
        (plain && yaml).then(|| self.own.join(path))
    }

    /// The name of a file.
    pub(crate) fn name(&self, file: &Path) -> String {
        let below = self.folders().find_map(|folder| file.strip_prefix(folder).ok());
        let parts: Vec<_> = below
            .unwrap_or(file)
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_lie_beside_the_fixtures() {
        let home = tempfile::tempdir().unwrap();
        let shelf = Shelf {
            own: home.path().join("own"),
            shipped: Some(home.path().join("shipped")),
        };
        assert_eq!(shelf.examples().unwrap(), BTreeMap::new());
        let shipped = |name: &str| home.path().join("shipped").join(name);
        fs::create_dir_all(shipped("transcripts/slack-export")).unwrap();
        fs::create_dir_all(shipped("recordings")).unwrap();
        for name in [
            "transcripts/turns.jsonl",
            "transcripts/README.md",
            "recordings/demo.jsonl",
            "other.jsonl",
        ] {
            fs::write(shipped(name), "").unwrap();
        }
        let examples = shelf.examples().unwrap();
        let names: Vec<_> = examples.keys().map(String::as_str).collect();
        assert_eq!(names, ["demo.jsonl", "slack-export", "turns.jsonl"]);
        assert_eq!(examples["slack-export"], shipped("transcripts/slack-export"));
    }

    #[test]
    fn what_a_person_wrote_stands_before_what_was_shipped() {
        let home = tempfile::tempdir().unwrap();
        let shelf = Shelf {
            own: home.path().join("own"),
            shipped: Some(home.path().join("shipped")),
        };
        let shipped = |name: &str| home.path().join("shipped").join(name);
        fs::create_dir_all(shipped("a")).unwrap();
        for name in ["a/one.yaml", "two.yaml"] {
            fs::write(shipped(name), "").unwrap();
        }
        let names = |shelf: &Shelf| shelf.all().unwrap().into_keys().collect::<Vec<_>>();
        assert_eq!(names(&shelf), ["a/one.yaml", "two.yaml"]);
        assert_eq!(shelf.file("two.yaml"), Some(shipped("two.yaml")));

        let own = shelf.place("two.yaml").unwrap();
        fs::create_dir_all(&shelf.own).unwrap();
        fs::write(&own, "").unwrap();
        assert_eq!(shelf.file("two.yaml"), Some(own.clone()));
        assert_eq!(names(&shelf), ["a/one.yaml", "two.yaml"]);
        assert_eq!(shelf.all().unwrap()["two.yaml"], own);
        assert_eq!(shelf.name(&own), "two.yaml");
        assert_eq!(shelf.name(&shipped("a/one.yaml")), "a/one.yaml");
    }

    #[test]
    fn nothing_else_can_be_named() {
        let shelf = Shelf::from(PathBuf::from("/own"));
        for name in ["../x.yaml", "/etc/x.yaml", "a/../../x.yaml", "x.txt", ""] {
            assert_eq!(shelf.file(name), None, "{name}");
        }
        assert_eq!(shelf.all().unwrap(), BTreeMap::new());
    }
}
