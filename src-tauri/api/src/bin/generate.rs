//! Writes, or checks, what other languages read of this crate: `generate --mode write|check`.

use foldback_api::typescript;
use std::{env, fs, path::Path, process::ExitCode};

const GENERATED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ui/src/generated");

fn main() -> ExitCode {
    match env::args().skip(1).collect::<Vec<_>>().join(" ").as_str() {
        "--mode write" => write(),
        "--mode check" => check(),
        _ => {
            eprintln!("usage: generate --mode write|check");
            ExitCode::from(2)
        }
    }
}

fn write() -> ExitCode {
    for file in typescript::files() {
        let path = Path::new(GENERATED).join(file.name);
        if let Err(error) = fs::create_dir_all(GENERATED).and_then(|()| fs::write(&path, file.text)) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn check() -> ExitCode {
    let drift = typescript::drift(Path::new(GENERATED));
    if drift.is_empty() {
        return ExitCode::SUCCESS;
    }
    eprint!("{drift}");
    eprintln!("run `cargo run -p foldback-api --bin generate -- --mode write` and commit the result");
    ExitCode::FAILURE
}
