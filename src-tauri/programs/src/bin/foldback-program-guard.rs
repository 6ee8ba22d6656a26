//! A program that runs another as Foldback does, and guards it, for the tests of this crate.

use foldback_programs::{Program, guard};
use std::process::exit;

fn main() {
    if let Some(code) = guard::run_if_asked() {
        exit(code);
    }
    let command: Vec<_> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (Some(program), Ok(runtime)) = (Program::of(&command), runtime) else {
        eprintln!("It runs the program that follows its name.");
        exit(2);
    };
    match runtime.block_on(program.run(b"", 1_000)) {
        Ok(end) => exit(end.status.code().unwrap_or(1)),
        Err(error) => {
            eprintln!("{error}");
            exit(1);
        }
    }
}
