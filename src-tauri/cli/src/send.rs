//! `foldback send`: one message through the whole pipeline.

mod around;
mod chain;
mod prepare;

use crate::{
    end::{End, Stop, Verdict, complain, json_line, stdout},
    input, log,
    places::Place,
    plain::plain,
    running::{runtime, wrong},
};
use base64::{Engine as _, prelude::BASE64_STANDARD as BASE64};
use foldback_api::{Backend, EndSignals, Setup, why};
use foldback_pipeline::config::ByteSize;
use foldback_replay::fold;
use foldback_wire::{
    ChannelId, Event, Kind, PermissionRequest, Terminal, TurnId,
    rpc::{ComposeFile, ComposeSend},
    visible_line,
};
use std::{
    collections::BTreeMap,
    fmt::Display,
    fs::File,
    io::{Read as _, Write as _},
    path::PathBuf,
    time::Duration,
};

/// Send one message through the whole pipeline and print the deliveries, also those of the delivery turns that its actions
/// lead to; a dry run unless the channel is armed
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The message, as the user writes it
    #[arg(value_name = "TEXT", required_unless_present = "text")]
    message: Option<String>,

    /// Through which channel [default: the first one, by name, that is switched on]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,

    /// The message as an option
    #[arg(long, conflicts_with = "message")]
    text: Option<String>,

    /// What the agent answers, `-` for stdin [default: ask the configured agent]
    #[arg(long, value_name = "FILE")]
    agent_output: Option<PathBuf>,

    /// Let nothing reach the platform, although the channel is armed
    #[arg(long)]
    dry_run: bool,

    /// A file that comes with the message; may be given several times. Only a simulated channel hands it over.
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Longest wait, once its own turn is over, for the delivery turns that its actions lead to; what has come until then
    /// is printed, and the exit code is 1
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    wait: u64,

    #[command(flatten)]
    around: around::Around,

    #[command(flatten)]
    place: Place,
}

/// Runs the command: exit code 1 if the message was stopped or its turn failed.
pub(crate) fn run(args: &Args) -> End {
    let agent_output = args.agent_output.as_deref().map(input::read).transpose()?;
    let mut setup = args.place.setup()?;
    setup.demo = false;
    log::start(&mut setup)?;
    complain(setup.in_words());
    let user_text = args.message.as_ref().or(args.text.as_ref());
    let channel = channel(&setup, args.channel.as_deref())?;
    let user_text = user_text.cloned().unwrap_or_default();
    if args.around.stops_at_prompt() {
        let order = args.around.prepare(channel, user_text);
        return runtime()?.block_on(prepare::run(setup, order, args.around.format()));
    }
    let order = ComposeSend {
        channel,
        user_text,
        agent_output,
        dry_run: args.dry_run,
        files: attached(&args.files, setup.config.attachments.max_total)?,
        context: args.around.context(),
    };
    let most = Duration::from_secs(args.wait);
    runtime()?.block_on(send(setup, order, most, &args.place))
}

/// Files, of which their bytes say what they are. No message comes with more than `most` of them together.
fn attached(paths: &[PathBuf], most: ByteSize) -> Result<Vec<ComposeFile>, Stop> {
    let mut left = most.0;
    let files = paths.iter().map(|path| {
        let wrong = |why: &dyn Display| Stop::Wrong(format!("{}: {why}", path.display()));
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|error| wrong(&error))?;
        let read = file.take(left.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| wrong(&error))?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            wrong(&format!(
                "the files are larger than attachments.max_total = \"{most}\""
            ))
        })?;
        let name = path.file_name().unwrap_or(path.as_os_str());
        Ok(ComposeFile {
            name: name.to_string_lossy().into_owned(),
            media_type: String::new(),
            base64: BASE64.encode(bytes),
        })
    });
    files.collect()
}

async fn send(setup: Setup, order: ComposeSend, most: Duration, place: &Place) -> End {
    let mut signals = EndSignals::listen()?;
    let mut requests = Requests::new(place.arguments(&setup));
    let own = order.channel.clone();
    let backend = Backend::open(setup).await.map_err(wrong)?;
    let came = tokio::select! {
        came = chain::follow(&backend, order, most, &mut requests) => came,
        () = signals.next() => Err(Stop::Wrong("ended before the turn was over; the next start goes on".to_owned())),
    };
    backend.shutdown().await.map_err(wrong)?;
    let turns = came?;
    let mut out = stdout();
    let mut count = 0_usize;
    for (_, events) in &turns {
        let deliveries = fold(events, &own).deliveries;
        count += deliveries.len();
        for delivery in &deliveries {
            json_line(&mut out, delivery)?;
        }
    }
    out.flush()?;
    let mut all_fine = true;
    for (turn, events) in &turns {
        let fine = events.iter().any(|event| is_fine(&event.kind));
        all_fine &= fine;
        if !fine || count == 0 {
            // Nobody should have to ask why there is no answer.
            complain(
                why(*turn, events)
                    .map_or_else(|| format!("turn {turn} is not over"), |why| plain(&why.answer)),
            );
        }
    }
    Ok(if all_fine { Verdict::Holds } else { Verdict::Fails })
}

/// The channel that was asked for, else the first one that is switched on: one that is off would hold the answer
/// for ever.
fn channel(setup: &Setup, wanted: Option<&str>) -> Result<ChannelId, Stop> {
    let channels = &setup.config.channels;
    let Some(wanted) = wanted else {
        let mut enabled = channels.iter().filter(|(_, settings)| settings.enabled);
        return enabled.next().map(|(name, _)| name.clone()).ok_or_else(|| {
            Stop::Wrong(
                "no channel is switched on, and --channel names none; add [channels.slack] to the configuration, \
                 or set enabled = true in one that is there"
                    .to_owned(),
            )
        });
    };
    let name = ChannelId::new(wanted);
    match channels.get(&name) {
        Some(settings) if settings.enabled => Ok(name),
        Some(_) => Err(Stop::Wrong(format!(
            "--channel: {name} is switched off; set channels.{name}.enabled = true"
        ))),
        None => {
            let names: Vec<&str> = channels.keys().map(ChannelId::as_str).collect();
            let others = if names.is_empty() {
                format!("the configuration has none; add [channels.{name}]")
            } else {
                format!("there are {}", names.join(", "))
            };
            Err(Stop::Wrong(format!(
                "--channel: there is no channel {name}; {others}"
            )))
        }
    }
}

/// The requests for permission of the turns, told as they come: whoever waits for the answer in this terminal does not see
/// the window.
struct Requests {
    /// Names this bot to another command, with a space before it.
    bot: String,
    /// By turn.
    counts: BTreeMap<TurnId, u32>,
}

impl Requests {
    const fn new(bot: String) -> Self {
        Self {
            bot,
            counts: BTreeMap::new(),
        }
    }

    /// Tells of a request that waits for a person, and the command lines that answer it.
    fn tell(&mut self, turn: TurnId, event: &Event) {
        let Kind::PermissionAsked {
            request,
            until: Some(until),
        } = &event.kind
        else {
            return;
        };
        let count = self.counts.entry(turn).or_default();
        *count += 1;
        let (number, bot) = (PermissionRequest::number(turn, *count), &self.bot);
        complain(format_args!(
            "the agent asks for permission {number} and waits until {until}: {}",
            visible_line(&request.title)
        ));
        for (command, what) in [
            ("allow", "allows it"),
            ("reject", "rejects it"),
            ("show", "shows it in full"),
        ] {
            complain(format_args!(
                "`foldback permission{bot} {command} {number}` {what}"
            ));
        }
    }
}

const fn is_fine(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::TurnEnded {
            terminal: Terminal::Replied
                | Terminal::Silent { .. }
                | Terminal::Command { .. }
                | Terminal::DirectiveAck
        }
    )
}
