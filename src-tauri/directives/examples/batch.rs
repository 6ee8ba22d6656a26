//! Reads files as whole answers of an agent: what the user sees, what is to be done, what is wrong.
//!
//! `cargo run -p foldback-directives --example batch -- FILE…`

use foldback_directives::{Lines, Settings, parse};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings::default();
    for file in env::args().skip(1) {
        let raw = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
        let read = parse(&raw, &settings, None);
        match read.suppressed {
            Some(why) => println!("{file}: nothing is shown. {}", why.about()),
            None => println!("{file}:\n{}", read.clean_text),
        }
        for directive in &read.directives {
            println!("- {}: {directive:?}", directive.tag());
        }
        let lines = Lines::new(&raw);
        for found in &read.diagnostics {
            let place = lines.start(found.span);
            let (line, column) = (place.line, place.column);
            println!(
                "{file}:{line}:{column}: {} {} {}",
                found.severity, found.code, found.message
            );
            println!("  {}", found.code.explain());
        }
    }
    Ok(())
}
