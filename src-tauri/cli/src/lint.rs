//! `foldback lint`: what is not as the grammar says.

mod sarif;

use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    grammar::Grammar,
    input,
};
use clap::ValueEnum;
use foldback_actions::known_action_names;
use foldback_directives::{Diagnostic, Lines, Severity, lint};
use foldback_wire::redact::Redaction;
use serde::Serialize;
use std::{io::Write, path::PathBuf};

/// Check agent output; each file is one assistant message
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files; `-` is stdin
    #[arg(default_value = "-")]
    files: Vec<PathBuf>,

    #[command(flatten)]
    grammar: Grammar,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// `file:line:column: severity code message`, one a line
    Text,
    /// One object a line
    Json,
    /// One SARIF 2.1.0 log, for code hosts and editors
    Sarif,
}

/// A finding with its file and place.
#[derive(Serialize)]
struct Finding<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    #[serde(flatten)]
    diagnostic: &'a Diagnostic,
}

/// Masks secrets in what is said of findings, and in what their fixes write.
pub(crate) fn mask_findings(findings: &mut [Diagnostic], secrets: &Redaction) {
    for finding in findings {
        finding.each_text(|text| secrets.mask(text));
    }
}

/// Runs the command: exit code 1 if there is any error.
pub(crate) fn run(args: &Args) -> End {
    let mut settings = args.grammar.settings()?;
    settings.action_names = known_action_names().to_vec();
    let secrets = args.grammar.secrets()?;
    let mut out = stdout();
    let mut verdict = Verdict::Holds;
    let mut unreadable = None;
    let mut log = sarif::Run::default();
    for path in &args.files {
        // One unreadable file does not hide what the others hold.
        let text = match input::read(path) {
            Ok(text) => text,
            Err(stop) => {
                if let Stop::Wrong(why) = &stop {
                    log.unreadable(why);
                }
                unreadable.get_or_insert(stop);
                continue;
            }
        };
        let file = input::name(path);
        let lines = Lines::new(&text);
        let mut findings = lint(&text, &settings);
        if let Some(secrets) = &secrets {
            mask_findings(&mut findings, secrets);
        }
        for diagnostic in &findings {
            if diagnostic.severity == Severity::Error {
                verdict = Verdict::Fails;
            }
            let place = lines.start(diagnostic.span);
            let (line, column) = (place.line, place.column);
            match args.format {
                Format::Text => {
                    let Diagnostic {
                        code,
                        severity,
                        message,
                        ..
                    } = diagnostic;
                    writeln!(out, "{file}:{line}:{column}: {severity} {code} {message}")?;
                }
                Format::Json => {
                    let finding = Finding {
                        file: &file,
                        line,
                        column,
                        diagnostic,
                    };
                    json_line(&mut out, &finding)?;
                }
                Format::Sarif => log.found(&file, &lines, diagnostic),
            }
        }
    }
    if args.format == Format::Sarif {
        json_line(&mut out, &log.log())?;
    }
    out.flush()?;
    unreadable.map_or(Ok(verdict), Err::<Verdict, Stop>)
}
