//! The house inside a crate: its modules use each other in one direction, and where the crate declares floors, never the
//! ones above. What does otherwise today is listed in `declared`, one file for each crate, and the list only shrinks.

mod arrows;
mod circles;
mod source;

use circles::{Declaration, join_arrows};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

fn declared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acceptance/floors/declared")
}

/// The root file of every library and program of the workspace, by the name of its crate.
fn crate_roots() -> BTreeMap<String, PathBuf> {
    let mut roots = BTreeMap::new();
    for package in super::packages() {
        for target in package["targets"].as_array().unwrap() {
            let name = match target["kind"][0].as_str().unwrap() {
                "lib" => &package["name"],
                "bin" => &target["name"],
                _ => continue,
            };
            let name = name.as_str().unwrap().to_owned();
            let before = roots.insert(name, PathBuf::from(target["src_path"].as_str().unwrap()));
            assert_eq!(before, None, "two crates of one name");
        }
    }
    roots
}

#[test]
fn no_module_closes_a_circle_or_uses_a_floor_above_it() {
    let roots = crate_roots();
    let mut wrong = Vec::new();
    for (name, root) in &roots {
        let modules = source::read_crate(root);
        let top: BTreeSet<String> = modules
            .keys()
            .filter(|path| path.len() == 1)
            .flatten()
            .cloned()
            .collect();
        let arrows = join_arrows(&arrows::read_arrows(&modules));
        let text = std::fs::read_to_string(declared().join(format!("{name}.txt"))).unwrap_or_default();
        match Declaration::read(&text) {
            Ok(declaration) => wrong.extend(
                declaration
                    .check(&top, &arrows)
                    .into_iter()
                    .map(|why| format!("{name}: {why}")),
            ),
            Err(why) => wrong.push(format!("{name}.txt: {why}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_declaration_belongs_to_a_crate() {
    let roots = crate_roots();
    assert!(
        roots.contains_key("foldback-pipeline") && roots.contains_key("foldback"),
        "{roots:?}"
    );
    for file in std::fs::read_dir(declared()).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let owner = name.strip_suffix(".txt").unwrap_or_default();
        assert!(roots.contains_key(owner), "{name} belongs to no crate");
    }
}
