//! A platform is known to the crate of channels alone: what another crate or the window does on one of them, it reads from the
//! platform's row. So a new channel changes that crate, the configuration and the documents (docs/adding-a-channel.md).

use foldback_channels::platform;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The files that name one platform all the same, and why.
const NAMED: [(&str, &str); 4] = [
    (
        "api/src/backend/queue_lab.rs",
        "the queue is shown on some platform",
    ),
    (
        "api/src/export/mod.rs",
        "a channel of a name that says nothing is measured as some platform",
    ),
    (
        "pipeline/src/stages/sender_context.rs",
        "OpenAB's sender context names Slack's threads by Slack's own key",
    ),
    (
        "replay/src/transcript/mod.rs",
        "a transcript that names no platform is played on some platform",
    ),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder whose names end so, and that hold no tests alone.
fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["tests", "test", "node_modules", "recorded", "generated"].contains(&name) {
                files(&path, endings, found);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) && !name.contains("test") {
            found.push(path);
        }
    }
}

#[test]
fn no_other_crate_decides_by_a_platform() {
    let source = root().join("src-tauri");
    let mut found = Vec::new();
    for entry in fs::read_dir(&source).unwrap() {
        let folder = entry.unwrap().path();
        let is_own = ["channels", "strict"].iter().any(|own| folder.ends_with(own));
        if !is_own && folder.join("src").is_dir() {
            files(&folder.join("src"), &[".rs"], &mut found);
        }
    }
    assert!(found.len() > 300, "{} files", found.len());
    let names: Vec<_> = platform::ALL
        .iter()
        .map(|platform| format!("platform::{}", platform.code().to_uppercase()))
        .collect();
    let is_named = |text: &str| {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        words
            .into_iter()
            .any(|word| names.iter().any(|name| word.ends_with(name.as_str())))
    };
    let naming: BTreeSet<_> = found
        .iter()
        .filter(|path| is_named(&fs::read_to_string(path).unwrap()))
        .map(|path| path.strip_prefix(&source).unwrap().to_str().unwrap().to_owned())
        .collect();
    let known: BTreeSet<_> = NAMED.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(naming, known);
}

#[test]
fn the_window_decides_by_no_platform() {
    let mut found = Vec::new();
    files(&root().join("ui/src"), &[".ts", ".svelte", ".css"], &mut found);
    assert!(found.len() > 200, "{} files", found.len());
    for path in found {
        let text = fs::read_to_string(&path).unwrap();
        for platform in platform::ALL {
            // A code that is no word of its own besides.
            let code = platform.code();
            for named in [format!("\"{code}\""), format!("of-{code}"), format!("--{code}")] {
                let is_platform = code.len() > 1 && code != "signal";
                assert!(
                    !(is_platform && text.contains(&named)),
                    "{}: {named}",
                    path.display()
                );
            }
        }
    }
}
