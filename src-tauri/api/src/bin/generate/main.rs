//! Writes, or checks, what is made from the code: what the window reads of this crate, the page of lint's rules,
//! those of actions, commands, directives and events, and what every channel shows of the texts in `fixtures/previews`. `generate --mode write|check`.

mod actions;
mod commands;
mod directives;
mod events;
mod lint;
mod previews;
mod record;

use foldback_api::typescript::{self, File};
use std::{env, fs, io, path::Path, process::ExitCode};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const TYPES: &str = "ui/src/generated";
const RECORDED: &str = "ui/src/host/recorded";
const DOCS: &str = "docs";
const PREVIEWS: &str = "fixtures/previews";

fn main() -> ExitCode {
    let check = match env::args().skip(1).collect::<Vec<_>>().join(" ").as_str() {
        "--mode write" => false,
        "--mode check" => true,
        _ => {
            eprintln!("usage: generate --mode write|check");
            return ExitCode::from(2);
        }
    };
    let recorded = match record::files() {
        Ok(recorded) => recorded,
        Err(error) => {
            eprintln!("the demonstration cannot be recorded: {error}");
            return ExitCode::FAILURE;
        }
    };
    let page = match lint::page() {
        Ok(page) => page,
        Err(error) => {
            eprintln!("the examples of lint's rules cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let golden = match previews::files() {
        Ok(golden) => golden,
        Err(error) => {
            eprintln!("the texts of {PREVIEWS} cannot be previewed: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut drift = String::new();
    for (folder, files) in [
        (TYPES, typescript::files()),
        (RECORDED, recorded),
        (
            DOCS,
            vec![
                page,
                actions::page(),
                commands::page(),
                directives::page(),
                events::page(),
            ],
        ),
        (PREVIEWS, golden),
    ] {
        let folder = Path::new(ROOT).join(folder);
        if check {
            drift += &typescript::drift(&folder, &files);
        } else if let Err(error) = write(&folder, &files) {
            eprintln!("{}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    }
    if drift.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprint!("{drift}");
    eprintln!("run `cargo run -p foldback-api --bin generate -- --mode write` and commit the result");
    ExitCode::FAILURE
}

fn write(folder: &Path, files: &[File]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    files
        .iter()
        .try_for_each(|file| fs::write(folder.join(file.name), &file.text))
}
