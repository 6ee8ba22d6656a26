//! `foldback deliver`: what an action produced, to the agent of the bot that runs.

use crate::{
    end::{End, Stop, Verdict, json_line, stdout},
    input,
    places::Place,
    running::{failed, runtime},
};
use foldback_api::order_delivery;
use foldback_wire::{
    DeadTarget,
    rpc::{DeadTargetRef, DeliveryAnswer, DeliveryCall, DeliveryOrder},
};
use serde_json::Value;
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

/// Largest request, in bytes.
const LARGEST: usize = 2 * 1024 * 1024;

/// Deliver a result, an event or an error to the agent of the bot that runs; its answer goes to the chat
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The request as JSON: a file, or - for stdin; docs/delivery-turns.md has its shapes
    #[arg(default_value = "-")]
    file: PathBuf,

    /// List the chats that their platforms take nothing more for, to which nothing is delivered
    #[arg(long, conflicts_with_all = ["file", "revive"])]
    dead: bool,

    /// Accept deliveries to such a chat again
    #[arg(long, value_name = "CHANNEL:CHAT", conflicts_with = "file")]
    revive: Option<String>,

    /// Print JSON, one line
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    place: Place,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let setup = args.place.setup()?;
    let journal = setup.journal_file();
    match (args.dead, &args.revive) {
        (false, None) => deliver(args, &journal),
        (true, _) => targets(args, &journal, DeliveryOrder::DeadTargets),
        (false, Some(target)) => targets(args, &journal, DeliveryOrder::Revive(target_of(target)?)),
    }
}

fn deliver(args: &Args, journal: &Path) -> End {
    let text = input::read(&args.file)?;
    let name = input::name(&args.file);
    if text.len() > LARGEST {
        return Err(Stop::Wrong(format!("{name}: larger than {LARGEST} bytes")));
    }
    let request: Value = serde_json::from_str(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Stop::Wrong(format!("{name}:{line}:{column}: no JSON: {error}"))
    })?;
    let order = DeliveryOrder::Deliver(DeliveryCall { request });
    let answer = runtime()?.block_on(order_delivery::<DeliveryAnswer>(journal, order));
    let answer = answer.map_err(failed)?;
    let mut out = stdout();
    if args.json {
        json_line(&mut out, &answer)?;
    } else {
        text_of(&mut out, &answer)?;
    }
    out.flush()?;
    Ok(match answer {
        DeliveryAnswer::Accepted { .. } => Verdict::Holds,
        DeliveryAnswer::Refused(_) => Verdict::Fails,
    })
}

fn text_of(out: &mut impl Write, answer: &DeliveryAnswer) -> io::Result<()> {
    match answer {
        DeliveryAnswer::Accepted { id, turn, before } => {
            let before = if *before { " before" } else { "" };
            writeln!(out, "accepted{before}: delivery {id} is turn {turn}")
        }
        DeliveryAnswer::Refused(refused) => {
            writeln!(out, "refused: {} ({})", refused.detail, refused.reason)
        }
    }
}

fn targets(args: &Args, journal: &Path, order: DeliveryOrder) -> End {
    let dead = runtime()?.block_on(order_delivery::<Vec<DeadTarget>>(journal, order));
    let dead = dead.map_err(failed)?;
    let mut out = stdout();
    if args.json {
        json_line(&mut out, &dead)?;
    } else if dead.is_empty() {
        writeln!(out, "Every chat takes deliveries.")?;
    } else {
        for DeadTarget {
            channel,
            target,
            refusal,
            detail,
            since,
            refused,
        } in &dead
        {
            let thread = target.thread.as_ref();
            let thread = thread.map_or_else(String::new, |thread| format!("#{thread}"));
            writeln!(
                out,
                "{channel}:{}{thread}  since {since}  {refused} refused since the start  {refusal}: {detail}",
                target.chat
            )?;
        }
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

/// A chat as it is listed: `CHANNEL:CHAT`, or `CHANNEL:CHAT#THREAD`.
fn target_of(text: &str) -> Result<DeadTargetRef, Stop> {
    let Some((channel, place)) = text
        .split_once(':')
        .filter(|(channel, chat)| !channel.is_empty() && !chat.is_empty())
    else {
        return Err(Stop::Wrong(format!("--revive {text}: is no CHANNEL:CHAT")));
    };
    let (chat, thread) = match place.split_once('#') {
        Some((chat, thread)) => (chat, Some(thread.into())),
        None => (place, None),
    };
    Ok(DeadTargetRef {
        channel: channel.into(),
        chat: chat.into(),
        thread,
    })
}
