//! `foldback recut`: does any way to cut an output into chunks change what the user sees? The console's
//! “Cut it differently”, by the same code.

mod text;

use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    format::Format,
    grammar::Grammar,
    input, journal,
    places::Place,
    running::{failed, runtime},
};
use foldback_api::{
    Output,
    recut::{Plan, Reading, recut},
};
use foldback_wire::{
    TurnId,
    rpc::{CutCount, CutFamily, RecutFailure},
};
use indicatif::ProgressBar;
use serde::Serialize;
use std::{io::Write, path::PathBuf};

/// Cut agent output into chunks in about 4,096 ways and say whether any changes what the user sees
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files, each with one assistant message; `-` is stdin
    #[arg(default_value = "-", conflicts_with = "turn")]
    files: Vec<PathBuf>,

    /// The messages of this turn of the journal instead, as their channel reads them now
    #[arg(long, value_name = "NUMBER", value_parser = number,
        conflicts_with_all = ["dialects", "placement", "heartbeat", "set", "redact", "inbound_text"])]
    turn: Option<TurnId>,

    /// Only this message of the turn, from 1
    #[arg(long, value_name = "NUMBER", requires = "turn", value_parser = clap::value_parser!(u32).range(1..))]
    message: Option<u32>,

    #[command(flatten)]
    grammar: Grammar,

    /// Text of the user's message that triggered the turn; what repeats it is not executed
    #[arg(long, value_name = "FILE")]
    inbound_text: Option<PathBuf>,

    /// As lines for people: the verdict, what was tried, and the smallest cut that changes something; or as JSON lines
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    #[command(flatten)]
    place: Place,
}

/// What is cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Subject {
    File { file: String },
    Message { turn: TurnId, message: u32 },
}

/// What came of it.
#[derive(Debug, Serialize)]
struct Report {
    #[serde(flatten)]
    subject: Subject,
    /// Bytes of the text.
    bytes: usize,
    /// Cuts tried; up to the one that changes something, where there is one.
    cuts: u64,
    /// What was to be tried, in this order.
    families: Vec<CutCount>,
    /// The seeds of the family `random`, from the first up to the one behind the last.
    seeds: Option<[u64; 2]>,
    /// The smallest cut that changes something.
    failure: Option<RecutFailure>,
}

/// Runs the command: exit code 1 if any cut changes something.
pub(crate) fn run(args: &Args) -> End {
    if args.turn.is_none() && args.place.is_named() {
        return Err(Stop::Wrong(
            "--config and --db say where a turn is, so they go with --turn; add it, or leave them out"
                .to_owned(),
        ));
    }
    let mut out = stdout();
    let mut verdict = Verdict::Holds;
    let mut unreadable = None;
    let mut check = |subject, output: &Output| {
        let report = examined(subject, &output.raw, &|| output.reader());
        if report.failure.is_some() {
            verdict = Verdict::Fails;
        }
        match args.format {
            Format::Json => json_line(&mut out, &report),
            Format::Text => Ok(text::write(&mut out, &output.raw, &report)?),
        }
    };
    if let Some(turn) = args.turn {
        for (message, output) in messages(args, turn)? {
            check(Subject::Message { turn, message }, &output)?;
        }
    } else {
        let inbound = args.inbound_text.as_deref().map(input::read).transpose()?;
        let (settings, secrets) = (args.grammar.settings()?, args.grammar.secrets()?);
        for path in &args.files {
            // One unreadable file does not hide what the others hold.
            match input::read(path) {
                Ok(raw) => {
                    let output = Output {
                        raw,
                        user_text: inbound.clone(),
                        settings: settings.clone(),
                        secrets: secrets.clone(),
                    };
                    let file = input::name(path);
                    check(Subject::File { file }, &output)?;
                }
                Err(stop) => {
                    unreadable.get_or_insert(stop);
                }
            }
        }
    }
    out.flush()?;
    unreadable.map_or(Ok(verdict), Err::<Verdict, Stop>)
}

/// The messages of a turn, or the one that is wanted, with their numbers from 1.
fn messages(args: &Args, turn: TurnId) -> Result<Vec<(u32, Output)>, Stop> {
    let setup = args.place.setup()?;
    let (outputs, _) = runtime()?.block_on(async {
        let journal = journal::open(&setup.journal_file()).await?;
        Output::of_turn(&journal, &setup.config, turn)
            .await
            .map_err(failed)
    })?;
    let written = outputs.len();
    let numbered = outputs.into_iter().map(|(message, output)| (message + 1, output));
    let wanted = |message: &u32| args.message.is_none_or(|wanted| wanted == *message);
    let messages: Vec<_> = numbered.filter(|(message, _)| wanted(message)).collect();
    match (messages.is_empty(), args.message) {
        (false, _) => Ok(messages),
        (true, Some(message)) if written > 0 => Err(Stop::Wrong(format!(
            "--message: turn {turn} has no message {message}; it has {written}"
        ))),
        (true, _) => Err(Stop::Wrong(format!(
            "turn {turn} has no message of an agent; `foldback why {turn}` says why"
        ))),
    }
}

/// Tries every cut; `begin` begins a reading of the text.
fn examined<R: Reading>(subject: Subject, raw: &str, begin: &impl Fn() -> R) -> Report {
    let plan = Plan::of(raw);
    // Draws on stderr, and only where that is a terminal.
    let bar = ProgressBar::new(plan.total());
    let result = recut(&plan, begin, |tried| {
        bar.set_position(tried);
        true
    });
    bar.finish_and_clear();
    let families = plan.families().to_vec();
    let random = families.iter().find(|count| count.family == CutFamily::Random);
    Report {
        subject,
        bytes: raw.len(),
        cuts: result.cuts,
        seeds: random.filter(|count| count.cuts > 0).map(|count| [0, count.cuts]),
        families,
        failure: result.failure,
    }
}

fn number(text: &str) -> Result<TurnId, String> {
    let number = text.strip_prefix('#').unwrap_or(text).parse();
    number
        .map(TurnId)
        .map_err(|_| "expected a turn's number, such as 12".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use foldback_api::recut::Screen;
    use foldback_directives::{Hold, Scanner, Settings, Sink, Span, Step};
    use foldback_wire::rpc::Aspect;

    /// Shows at the end of each chunk what should be held, as a bot without hold rules would.
    struct Impatient {
        scanner: Scanner,
        raw: String,
    }

    impl Impatient {
        fn new() -> Self {
            Self {
                scanner: Scanner::new(&Settings::default(), None),
                raw: String::new(),
            }
        }
    }

    struct Listener<'a, 'b> {
        screen: &'a mut Screen<'b>,
        held: Option<Span>,
    }

    impl Sink for Listener<'_, '_> {
        fn step(&mut self, step: Step<'_>) {
            if let Step::Hold(hold) = step {
                self.held = hold.map(|Hold { span, .. }| *span);
            }
            self.screen.step(step);
        }
    }

    impl Reading for Impatient {
        fn push(&mut self, chunk: &str, screen: &mut Screen<'_>) {
            self.raw.push_str(chunk);
            let mut listener = Listener { screen, held: None };
            self.scanner.push(chunk, &mut listener);
            if let Some(span) = listener.held {
                let text = span.of(&self.raw);
                screen.step(Step::Show {
                    span,
                    text,
                    joined: false,
                });
            }
        }

        fn finish(self, screen: &mut Screen<'_>) {
            Scanner::finish(self.scanner, screen);
        }
    }

    const RAW: &str = "Sure<react emoji=\"fire\"/>thing";

    fn report<R: Reading>(begin: &impl Fn() -> R) -> (Report, String) {
        let file = "answer.txt".to_owned();
        let report = examined(Subject::File { file }, RAW, begin);
        let mut out = Vec::new();
        text::write(&mut out, RAW, &report).unwrap();
        (report, String::from_utf8(out).unwrap())
    }

    #[test]
    fn a_bot_that_leaks_is_found_out_with_the_smallest_cut() {
        let (report, text) = report(&Impatient::new);
        let failure = report.failure.as_ref().unwrap();
        assert_eq!(failure.cut.len(), 1);
        assert_eq!(failure.differs[0], Aspect::Leak);
        assert!(report.cuts < Plan::of(RAW).total(), "it stops there");
        let first = format!(
            "answer.txt: a cut into 2 chunks changes the result, found by cut {} of 4096\n",
            report.cuts
        );
        assert!(text.starts_with(&first), "{text}");
        let (head, tail) = RAW.split_at(failure.cut[0]);
        for line in [
            format!("  chunk 1       {head:?}\n"),
            format!("  chunk 2       {tail:?}\n"),
            "  in one piece  \"Surething\"\n".to_owned(),
            "  differs       leak, ".to_owned(),
            format!("  1 showed      {head:?}\n"),
            format!("  leaked        {:?}\n", &head[4..]),
        ] {
            assert!(text.contains(&line), "{line}in\n{text}");
        }
    }

    #[test]
    fn the_scanner_passes_and_says_what_was_tried() {
        let (report, text) = report(&|| Scanner::new(&Settings::default(), None));
        assert!(report.failure.is_none());
        let tried: u64 = report.families.iter().map(|count| count.cuts).sum();
        assert_eq!((report.cuts, tried), (4_096, 4_096));
        let random = report.families.last().unwrap().cuts;
        assert_eq!(report.seeds, Some([0, random]));
        assert!(text.starts_with("answer.txt: 4096 cuts, same result\n"), "{text}");
        assert!(
            text.contains("     29  single      In two, at one place.\n"),
            "{text}"
        );
        assert!(
            text.trim_end().ends_with(&format!("seeds 0 to {}", random - 1)),
            "{text}"
        );
    }
}
