//! Reads an answer from stdin as it comes, one chunk a line, and says at once what is decided.
//!
//! `printf '%s\n' 'On my way. <rea' 'ct emoji="eyes"/> See you!' | cargo run -p foldback-directives --example stream`
//!
//! The line breaks belong to the terminal, not to the answer; `\n` in a line is a line break of the answer.

use foldback_directives::{Scanner, Settings, Sink, Step};
use std::io;

/// Prints every decision.
struct Print;

impl Sink for Print {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Show { text, .. } | Step::Mask { text, .. } => println!("  show     {text:?}"),
            Step::Hide { span, fate, reason } => {
                println!(
                    "  {:8} bytes {}..{}: {}",
                    fate.code(),
                    span.start,
                    span.end,
                    reason.about()
                );
            }
            Step::Directive(directive) => println!("  do       {directive:?}"),
            Step::Header { header, .. } => println!("  header   {header:?}"),
            Step::Action(action) => println!("  action   {} {}", action.kind, action.payload),
            Step::Diagnostic(found) => {
                println!("  {:8} {} {}", found.severity.code(), found.code, found.message);
            }
            Step::Suppressed(why) => println!("  silence  {}", why.about()),
            Step::Hold(Some(hold)) => println!("  hold     {} {}", hold.why(), hold.release()),
            Step::Hold(None) => println!("  release"),
        }
    }
}

fn main() -> io::Result<()> {
    let mut scanner = Scanner::new(&Settings::default(), None);
    for line in io::stdin().lines() {
        let chunk = line?.replace("\\n", "\n");
        println!("{chunk:?}");
        scanner.push(&chunk, &mut Print);
    }
    println!("the end");
    scanner.finish(&mut Print);
    Ok(())
}
