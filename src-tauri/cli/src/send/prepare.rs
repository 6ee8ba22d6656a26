//! `foldback send --until prepare`: a message through all stages to the prompt. The journal is only read.

use crate::{
    end::{End, Verdict, json_line, stdout},
    format::Format,
    plain::plain,
    running::failed,
};
use foldback_api::{Setup, prepare_message};
use foldback_wire::{
    rpc::{ComposePrepare, PreparedMessage, PromptOmission},
    visible,
};
use std::io::{self, Write};

/// Runs it; exit code 1 where the agent would not be asked.
pub(super) async fn run(setup: Setup, order: ComposePrepare, format: Format) -> End {
    let text = order.user_text.clone();
    let prepared = prepare_message(&setup, order).await.map_err(failed)?;
    let mut out = stdout();
    match format {
        Format::Json => json_line(&mut out, &prepared)?,
        Format::Text => in_text(&mut out, &text, &prepared)?,
    }
    out.flush()?;
    Ok(if prepared.prompt.is_some() {
        Verdict::Holds
    } else {
        Verdict::Fails
    })
}

fn in_text(out: &mut impl Write, written: &str, prepared: &PreparedMessage) -> io::Result<()> {
    let PreparedMessage {
        session,
        answer,
        steps,
        stripped,
        settings,
        replies,
        prompt,
        omitted,
        ..
    } = prepared;
    writeln!(out, "{}", plain(answer))?;
    for step in steps {
        let mark = if step.no { '✗' } else { '·' };
        writeln!(out, "  {mark} {:<18} {}", step.stage, plain(&step.text))?;
        if let Some(change) = &step.change {
            writeln!(out, "    {:<18} {}", "change", plain(change))?;
        }
    }
    if let Some(session) = session {
        writeln!(out, "session   {}", visible(session.as_str()))?;
    }
    for set in settings {
        writeln!(
            out,
            "setting   {} = {} ({})",
            set.setting,
            plain(&set.value),
            set.source
        )?;
    }
    if !stripped.is_empty() {
        writeln!(out, "stripped  {}", visible(&marked(written, prepared)))?;
    }
    for reply in replies {
        writeln!(out, "reply     {}", plain(reply))?;
    }
    for part in omitted {
        let PromptOmission { name, why, setting } = part;
        writeln!(out, "omitted   {}: {why} ({setting})", plain(name))?;
    }
    match prompt {
        Some(prompt) => writeln!(out, "\n{}", visible(prompt)),
        None => Ok(()),
    }
}

/// The text as it was written, with what is stripped between `[-` and `-]`.
fn marked(written: &str, prepared: &PreparedMessage) -> String {
    let mut parts: Vec<_> = prepared.stripped.iter().collect();
    parts.sort_by_key(|part| part.span.start);
    let mut marked = String::new();
    let mut at = 0;
    for part in parts {
        marked.push_str(written.get(at..part.span.start).unwrap_or_default());
        marked.push_str("[-");
        marked.push_str(&part.text);
        marked.push_str("-]");
        at = part.span.end;
    }
    marked.push_str(written.get(at..).unwrap_or_default());
    marked
}
