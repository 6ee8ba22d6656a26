//! Commands that a program answers: those of the configuration, and `/bash`.

use super::Commands;
use crate::{
    config::{ByteSize, CommandTemplate, CommandsConfig, CustomAnswer, CustomCommand, Interval},
    deadline::Deadline,
    gates::OwnAnswer,
    id::sender_ids,
    recorder::Recorder,
};
use foldback_programs::{Program, ProgramEnd};
use foldback_wire::visible;

/// Time and output of `/bash`.
const BASH: Limits = Limits {
    timeout: Interval::seconds(60),
    most: ByteSize(4_000),
};

/// The bounds of a program's run.
#[derive(Debug, Clone, Copy)]
struct Limits {
    timeout: Interval,
    most: ByteSize,
}

impl Commands {
    /// The command of this name that a program answers, where the sender may have it run.
    pub(super) fn allowed_program(&self, name: &str, answer: &OwnAnswer) -> Option<&CustomCommand> {
        let config = &self.context.ports.config.commands;
        let command = config.custom.get(name)?;
        let (message, channel) = (&answer.message, &answer.message.channel);
        let platform = self.context.ports.settings(channel).platform(channel)?;
        let lists = |id: &str| CommandsConfig::lists_for_program(command, channel, platform, id);
        (answer.access.is_owner || sender_ids(message).any(lists)).then_some(command)
    }

    /// Runs the program of a command of the configuration. Its output is the answer.
    pub(super) async fn run_custom(
        &self,
        (name, command): (&str, &CustomCommand),
        words: &str,
        answer: &OwnAnswer,
        recorder: &Recorder,
    ) -> String {
        let CustomAnswer::Program(run) = command.answer() else {
            return format!("⚠️ /{name} is no program any more.");
        };
        let sender = visible(answer.message.sender.readable_name());
        let filled: Vec<_> = run
            .iter()
            .map(|part: &CommandTemplate| part.fill(words, &sender))
            .collect();
        let limits = Limits {
            timeout: command.timeout,
            most: command.max_output,
        };
        self.run_program(name, Program::of(&filled), limits, answer, recorder)
            .await
    }

    /// Runs a line in a shell.
    pub(super) async fn bash(&self, line: &str, answer: &OwnAnswer, recorder: &Recorder) -> String {
        if line.is_empty() {
            return "⚠️ Write /bash and the line to run.".to_owned();
        }
        let shell = Program::new("/bin/sh", vec!["-c".to_owned(), line.to_owned()]);
        self.run_program("bash", Some(shell), BASH, answer, recorder)
            .await
    }

    async fn run_program(
        &self,
        name: &str,
        program: Option<Program>,
        limits: Limits,
        answer: &OwnAnswer,
        recorder: &Recorder,
    ) -> String {
        let context = &self.context;
        if answer.message.dry_run || context.ports.config.commands.without_programs {
            return format!("ℹ️ /{name} runs a program, and a rehearsal runs none.");
        }
        let Some(program) = program else {
            return format!("⚠️ /{name} names no program.");
        };
        let Limits { timeout, most } = limits;
        let bytes = usize::try_from(most.0).unwrap_or(usize::MAX);
        let clock = context.recorder.clock.as_ref();
        let run = program.run(b"", bytes);
        let ended = tokio::select! {
            ended = Deadline::after(clock, timeout.0).within(clock, run) => ended,
            () = context.shutdown.cancel_runs.cancelled() => {
                return format!("⚠️ /{name} was ended: the bot stops.");
            }
        };
        let told = match ended {
            None => format!("⚠️ /{name} ran for {timeout} and was ended."),
            Some(Err(error)) => format!("⚠️ /{name} could not be run: {error}"),
            Some(Ok(end)) => in_words(name, &end, most),
        };
        recorder.words(&told).into_owned()
    }
}

/// What a program said, and how it ended where that was not well.
fn in_words(name: &str, end: &ProgramEnd, most: ByteSize) -> String {
    let output = String::from_utf8_lossy(&end.output);
    let mut parts = vec![output.trim().to_owned()];
    if end.cut {
        parts.push(format!("⚠️ /{name} wrote more than {most} and was ended."));
    } else if !end.status.success() {
        parts.push(format!("⚠️ /{name} ended with {}.", end.status));
        parts.push(end.complaint.clone());
    }
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() {
        return format!("✅ /{name} ended and said nothing.");
    }
    parts.join("\n")
}
