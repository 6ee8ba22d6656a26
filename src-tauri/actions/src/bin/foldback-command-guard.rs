//! A guard of commands for the tests of this crate; the programs that people start guard their own.

fn main() {
    let code = foldback_programs::guard::run_if_asked();
    std::process::exit(code.unwrap_or_else(|| {
        eprintln!("It guards a command that Foldback starts, and does nothing else.");
        2
    }));
}
