//! `foldback permission`: the requests for permission that wait for a person, and their answers.

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    places::Place,
    plain::plain,
    running::{failed, runtime},
};
use foldback_api::{PermissionOrder, order_permission};
use foldback_wire::{
    CallPreview, FileChange, PermissionKind, PermissionOption, rpc::PendingPermission, visible, visible_line,
};
use std::io::{self, Write};

/// Answer an agent that asks before it uses a tool, while the bot runs
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,

    /// Form in which the requests are printed
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,

    #[command(flatten)]
    place: Place,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show the requests that wait; what is masked as a secret says how long it is
    List,
    /// Show one request as the agent made it, whole and without masks
    Show {
        /// Its number, such as 12-1
        number: String,
    },
    /// Let the agent make this call
    Allow {
        /// The request's number, such as 12-1
        number: String,
        /// All calls like it, too, where the agent offers that
        #[arg(long)]
        always: bool,
    },
    /// Refuse this call
    Reject {
        /// The request's number, such as 12-1
        number: String,
        /// All calls like it, too, where the agent offers that
        #[arg(long)]
        always: bool,
    },
    /// Choose none of the answers: the request is cancelled
    Dismiss {
        /// The request's number, such as 12-1
        number: String,
    },
}

impl Command {
    fn order(&self) -> PermissionOrder {
        let decide = |number: &String, answer| PermissionOrder::Decide {
            number: number.clone(),
            answer,
        };
        match self {
            Self::List => PermissionOrder::List,
            Self::Show { number } => PermissionOrder::Show {
                number: number.clone(),
            },
            Self::Allow {
                number,
                always: false,
            } => decide(number, Some(PermissionKind::AllowOnce)),
            Self::Allow { number, always: true } => decide(number, Some(PermissionKind::AllowAlways)),
            Self::Reject {
                number,
                always: false,
            } => decide(number, Some(PermissionKind::RejectOnce)),
            Self::Reject { number, always: true } => decide(number, Some(PermissionKind::RejectAlways)),
            Self::Dismiss { number } => decide(number, None),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> End {
    let journal = args.place.journal()?;
    let order = args.command.order();
    let waiting = runtime()?.block_on(order_permission(&journal, order));
    let waiting = waiting.map_err(failed)?;
    let mut out = stdout();
    match args.format {
        Format::Json => json_line(&mut out, &waiting)?,
        Format::Text if waiting.is_empty() => writeln!(out, "No request waits.")?,
        Format::Text => waiting.iter().try_for_each(|pending| text(&mut out, pending))?,
    }
    out.flush()?;
    Ok(Verdict::Holds)
}

fn text(out: &mut impl Write, pending: &PendingPermission) -> io::Result<()> {
    let PendingPermission {
        turn,
        channel,
        chat,
        sender,
        number,
        request,
        since,
        until,
        masked,
        cut,
        ..
    } = pending;
    writeln!(
        out,
        "{number}  {}\n  for {} ({channel}, chat {}), turn {turn}, since {since}, rejected at {until}",
        visible_line(&request.title),
        plain(sender),
        plain(chat.as_str())
    )?;
    if let Some(arguments) = &request.arguments {
        block(out, "arguments", arguments)?;
    }
    preview(out, &request.preview)?;
    let answers = request.options.iter().map(answer);
    writeln!(out, "  answers: {}", answers.collect::<Vec<_>>().join(", "))?;
    if *masked {
        writeln!(
            out,
            "  part of it is masked as a secret; `foldback permission show {number}` shows all of it"
        )?;
    }
    if *cut {
        writeln!(
            out,
            "  part of it is left out here; it can be allowed once `foldback permission show {number}` has shown all of it"
        )?;
    }
    Ok(())
}

fn answer(option: &PermissionOption) -> String {
    let command = match option.kind {
        PermissionKind::AllowOnce => "allow",
        PermissionKind::AllowAlways => "allow --always",
        PermissionKind::RejectOnce => "reject",
        PermissionKind::RejectAlways => "reject --always",
    };
    format!("{command} (“{}”)", plain(&option.name))
}

fn preview(out: &mut impl Write, preview: &CallPreview) -> io::Result<()> {
    let CallPreview {
        changes,
        more_changes,
        locations,
        more_locations,
        text,
        unshown,
    } = preview;
    for FileChange {
        path,
        added,
        removed,
        diff,
    } in changes
    {
        block(
            out,
            &format!("changes {}, +{added} −{removed}", visible_line(path)),
            diff,
        )?;
    }
    if *more_changes > 0 {
        writeln!(out, "  changes {more_changes} files more")?;
    }
    for at in locations {
        writeln!(out, "  in {}", visible_line(at))?;
    }
    if *more_locations > 0 {
        writeln!(out, "  in {more_locations} places more")?;
    }
    if let Some(text) = text {
        block(out, "it says", text)?;
    }
    if !unshown.is_empty() {
        let kinds = visible_line(&unshown.join(", "));
        writeln!(out, "  parts that cannot be shown: {kinds}")?;
    }
    Ok(())
}

/// The agent's words, each line behind a bar: none of them can look like ours, nor move the terminal.
fn block(out: &mut impl Write, about: &str, words: &str) -> io::Result<()> {
    writeln!(out, "  {about}:")?;
    words
        .lines()
        .try_for_each(|line| writeln!(out, "    │ {}", visible(line)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_words_of_an_agent_stand_behind_a_bar_and_cannot_move_the_terminal() {
        let pending: PendingPermission = serde_json::from_value(json!({
            "turn": 12, "session": "s", "channel": "slack", "chat": "C1", "sender": "Al\u{1b}ice", "number": "12-1",
            "request": {"id": "p", "tool": null, "title": "edit\n13-1  harmless", "does": "edit",
                "arguments": "one\n13-1  harmless\r\u{202e}", "options": [{"id": "y", "name": "Yes", "kind": "allow_once"}],
                "preview": {"changes": [{"path": "a.md", "added": 1, "removed": 0, "diff": "@@ -0 +1 @@\n+one\n"}],
                    "locations": ["a.md"], "more_locations": 3, "unshown": ["terminal", "im\nage"]}},
            "since": "2026-01-01T00:00:00.000Z", "until": "2026-01-01T00:05:00.000Z", "in_chat": false, "masked": true
        }))
        .unwrap();
        let mut out = Vec::new();
        text(&mut out, &pending).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "12-1  edit⏎13-1  harmless\n  for Al⟨U+001B⟩ice (slack, chat C1), turn 12, since \
             2026-01-01T00:00:00.000Z, rejected at 2026-01-01T00:05:00.000Z\n  arguments:\n    │ one\n    │ 13-1  \
             harmless⟨U+000D⟩⟨U+202E⟩\n  changes a.md, +1 −0:\n    │ @@ -0 +1 @@\n    │ +one\n  in a.md\n  in 3 places \
             more\n  parts that cannot be shown: terminal, im⏎age\n  answers: allow (“Yes”)\n  part of it is masked as a secret; `foldback permission show 12-1` shows all of it\n"
        );
    }
}
