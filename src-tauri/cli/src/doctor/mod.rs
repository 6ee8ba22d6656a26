//! `foldback doctor`: is everything as a bot needs it, and what to do where it is not.
//!
//! Every check is one question with one answer ([`Check`]): the setting that it is about, what is asked in words, and
//! what was found, or why it could not be asked. All are asked at once and have `--timeout` together, five seconds
//! unless it is said, the reading of the configuration included; one that has no answer by then is a finding, too. A check costs nothing: no token of a
//! model, no message to a person, no update taken from a platform. Secrets that a check reads through
//! [`Subject::secret`] are masked in every finding.
//!
//! A new check is a function from [`Subject`] to checks in a file of its own, and a line in [`SUBJECTS`].

mod acp;
mod actions;
mod agents;
mod assembly;
mod channels;
mod check;
mod daemon;
mod folders;
mod grants;
mod held;
mod http;
mod pages;
mod platforms;
mod rights;
mod secrets;
mod servers;
mod sessions;
mod speech;
mod subject;
mod token_form;
mod webhooks;

use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    format::Format,
    places::Place,
    plain::plain,
    running::runtime,
};
use check::{Answer, Check, Deadline, Finding, State, ask_all};
use std::{io::Write as _, time::Duration};
use subject::Subject;
use tokio::time::Instant;

/// Part of `--timeout` that is kept to print the findings and end.
const TIME_TO_END: Duration = Duration::from_millis(500);

/// The subjects that are asked about, in the order of the findings.
const SUBJECTS: &[fn(&Subject) -> Vec<Check>] = &[
    folders::checks,
    held::checks,
    secrets::checks,
    channels::checks,
    agents::checks,
    actions::checks,
    speech::checks,
];

/// Check configuration, secrets, folders, journal, channels and agents, and say what to do
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,

    /// Form in which the findings are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Seconds in which all answers must have come; more for a slow network or a busy machine
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=3_600))]
    timeout: u32,
}

/// Runs the command: exit code 1 if anything is wrong.
pub(crate) fn run(args: &Args) -> End {
    let runtime = runtime()?;
    let findings = runtime.block_on(findings(&args.place, args.timeout));
    // What hangs in the keyring or on a disk is not waited for.
    runtime.shutdown_background();
    let mut out = stdout();
    for finding in &findings {
        match args.format {
            Format::Json => json_line(&mut out, finding)?,
            Format::Text => {
                let Finding {
                    state,
                    about,
                    asked,
                    found,
                    todo,
                } = finding;
                // A server, or whoever names its models, has words in them.
                let [about, found, asked] = [about, found, asked].map(|text| plain(text));
                writeln!(out, "{:<7} {about}: {found} (asked: {asked})", state.code())?;
                if let Some(todo) = todo {
                    writeln!(out, "        → {}", plain(todo))?;
                }
            }
        }
    }
    out.flush()?;
    let wrong = findings.iter().any(|finding| finding.state == State::Wrong);
    Ok(if wrong { Verdict::Fails } else { Verdict::Holds })
}

/// Asks everything. What cannot be asked because the configuration is wrong is left out.
async fn findings(place: &Place, timeout: u32) -> Vec<Finding> {
    let time = Duration::from_secs(timeout.into());
    let deadline = Deadline {
        at: Instant::now() + time.saturating_sub(TIME_TO_END),
        seconds: timeout,
    };
    let about = "configuration";
    let asked = match place.config() {
        Some(path) => path.display().to_string(),
        None => "for a file: there is none".to_owned(),
    };
    let setup = match place.setup() {
        Ok(setup) => setup,
        Err(Stop::Closed) => return Vec::new(),
        Err(Stop::Wrong(message)) => {
            let todo = "mend it; `foldback schema config` has all keys";
            let wrong = Check::answered(about, asked, Answer::wrong(message, todo));
            return ask_all(vec![wrong], deadline).await;
        }
    };
    let found = match place.config() {
        Some(path) => path.display().to_string(),
        None => "the embedded default; there is no file".to_owned(),
    };
    let subject = Subject::of(&setup);
    let mut checks = vec![Check::answered(about, asked, Answer::fine(found))];
    checks.extend(SUBJECTS.iter().flat_map(|checks| checks(&subject)));
    checks.push(assembly::check(setup));
    let mut findings = ask_all(checks, deadline).await;
    for finding in &mut findings {
        for text in [&mut finding.about, &mut finding.asked, &mut finding.found] {
            *text = subject.mask(text);
        }
    }
    findings
}
