//! `foldback queue lab`: messages on a virtual clock, and what the queue makes of them.

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    plain::plain,
    running::{failed, runtime},
};
use foldback_api::run_queue_lab;
use foldback_pipeline::config::Interval;
use foldback_wire::rpc::{QueueLab, QueueLabMessage, QueueLabResult};
use std::{
    io::{self, Write},
    time::Duration,
};

/// Columns of the timeline.
const WIDTH: u64 = 60;

/// Try the queue on a virtual clock: which messages wait, join a run, or are dropped
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The messages, each as TIME:TEXT or TIME:SENDER:TEXT, such as `0s:hello` or `500ms:bob:and this`
    #[arg(required = true, value_name = "MESSAGE", value_parser = message)]
    messages: Vec<QueueLabMessage>,

    /// steer, followup, collect, interrupt or steer-backlog [default: steer]
    #[arg(long)]
    mode: Option<String>,

    /// Most messages that wait [default: 20]
    #[arg(long, value_name = "N")]
    cap: Option<u32>,

    /// Which message goes where more come: old, new or summarize [default: summarize]
    #[arg(long)]
    drop: Option<String>,

    /// How long it must be quiet before what was collected runs [default: 500ms]
    #[arg(long, value_name = "TIME", value_parser = time)]
    debounce: Option<u32>,

    /// How long a message waits for more of its sender before it comes into the queue [default: 0s]
    #[arg(long, value_name = "TIME", value_parser = time)]
    channel_debounce: Option<u32>,

    /// How long the agent takes for each answer
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "3s")]
    run: u32,
}

/// A time as the configuration writes it, in milliseconds.
fn time(text: &str) -> Result<u32, String> {
    let Interval(time): Interval = text.parse()?;
    in_ms(time).ok_or_else(|| "it is too long".to_owned())
}

fn in_ms(time: Duration) -> Option<u32> {
    u32::try_from(time.as_millis()).ok()
}

fn message(text: &str) -> Result<QueueLabMessage, String> {
    let (at, rest) = text
        .split_once(':')
        .ok_or("write TIME:TEXT, such as 500ms:hello")?;
    let (sender, text) = match rest.split_once(':') {
        Some((sender, text)) if !sender.is_empty() && !sender.contains(' ') => (Some(sender.into()), text),
        _ => (None, rest),
    };
    Ok(QueueLabMessage {
        at_ms: time(at)?,
        text: text.to_owned(),
        sender,
    })
}

/// Runs the command.
pub(super) fn run(args: &Args, format: Format) -> End {
    let lab = QueueLab {
        mode: args.mode.clone(),
        cap: args.cap,
        drop: args.drop.clone(),
        debounce_ms: args.debounce,
        channel_debounce_ms: args.channel_debounce,
        run_ms: args.run,
        messages: args.messages.clone(),
    };
    let result = runtime()?.block_on(run_queue_lab(lab)).map_err(failed)?;
    let mut out = stdout();
    match format {
        Format::Json => json_line(&mut out, &result)?,
        Format::Text => text(&mut out, &result)?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

/// A line of time for each message: `·` waits, `█` runs; below it what the queue decided.
fn text(out: &mut impl Write, result: &QueueLabResult) -> io::Result<()> {
    let column = |ms: u64| ms * WIDTH / result.lasted_ms.max(1);
    for turn in &result.turns {
        let end = turn.ended_ms.unwrap_or(result.lasted_ms);
        let sign = |at: u64| match turn.ran_ms {
            Some((from, until)) if (column(from)..=column(until)).contains(&at) => '█',
            _ if (column(turn.came_ms)..=column(end)).contains(&at) => '·',
            _ => ' ',
        };
        let line: String = (0..=WIDTH).map(sign).collect();
        let end = turn
            .terminal
            .as_ref()
            .map_or_else(|| "open".to_owned(), ToString::to_string);
        writeln!(out, "#{:<3} {line} {end}  {}", turn.turn, plain(&turn.text))?;
    }
    for turn in &result.turns {
        writeln!(
            out,
            "\n#{} {}: {}",
            turn.turn,
            plain(turn.sender.as_str()),
            plain(&turn.text)
        )?;
        for step in &turn.steps {
            writeln!(out, "  {:>8} ms  {}", step.at_ms, plain(&step.text))?;
        }
    }
    Ok(())
}
