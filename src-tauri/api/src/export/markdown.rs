//! Turns as Markdown, for a ticket or a chat.

use super::{
    Export,
    words::{duration, ending, fate, moment},
};
use foldback_store::one_line;
use foldback_wire::{
    Event, Kind, OpKind,
    rpc::{LedgerEntry, MessageDetail, TurnDetail},
    visible,
};
use std::fmt::Write as _;

/// Characters of a text in a cell of a table.
const CELL: usize = 120;

/// All turns, in order.
pub(super) fn markdown(export: &Export<'_>) -> String {
    let mut text = String::new();
    for (fold, events) in export.folds().zip(export.turns.values()) {
        let Some(detail) = fold.detail() else { continue };
        if !text.is_empty() {
            text += "\n---\n\n";
        }
        turn(&mut text, &detail, fold.verdict(), events);
    }
    text
}

// Writing to a String cannot fail.
fn turn(out: &mut String, detail: &TurnDetail, verdict: Option<String>, events: &[Event]) {
    let summary = &detail.summary;
    let _ = writeln!(out, "# Turn {}\n", summary.turn);
    let mut facts = vec![
        (
            "Channel",
            summary
                .channel
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        ),
        (
            "Session",
            summary
                .session
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        ),
        ("From", summary.sender.clone()),
        ("At", moment(summary.at)),
        (
            "Outcome",
            format!(
                "{}, after {}",
                ending(summary, verdict),
                duration(summary.took_ms)
            ),
        ),
        ("Agent", detail.agent.clone().unwrap_or_default()),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    for (name, value) in facts {
        let _ = writeln!(out, "- **{name}:** {}", cell(&value));
    }
    let _ = writeln!(
        out,
        "\n## Message\n\n{}",
        fenced(&detail.inbound.readable_text(), "text")
    );
    answer(out, detail);
    stops(out, events);
    for message in &detail.messages {
        message_part(out, message);
    }
    directives(out, detail);
    deliveries(out, &detail.ledger);
    decisions(out, detail);
}

/// What the user ended up with.
fn answer(out: &mut String, detail: &TurnDetail) {
    let shown: Vec<_> = detail
        .messages
        .iter()
        .filter(|message| message.suppressed.is_none() && !message.clean.is_empty())
        .collect();
    let _ = writeln!(out, "## Answer\n");
    if shown.is_empty() {
        let _ = writeln!(out, "No text was delivered.\n");
    }
    for message in shown {
        let _ = writeln!(out, "{}", fenced(&message.clean, "text"));
    }
}

/// The gate that stopped the message.
fn stops(out: &mut String, events: &[Event]) {
    for event in events {
        if let Kind::Stopping {
            gate,
            detail,
            setting,
            source,
            ..
        } = &event.kind
        {
            let _ = writeln!(out, "## Stopped\n\n{}: {}", cell(gate.code()), cell(detail));
            if let Some(setting) = setting {
                let from = source.map_or_else(String::new, |source| format!(" ({source})"));
                let _ = writeln!(out, "\nSetting: `{}`{from}", setting.replace('`', "'"));
            }
            out.push('\n');
        }
    }
}

/// The raw text and its hold map.
fn message_part(out: &mut String, message: &MessageDetail) {
    let number = message.message + 1;
    let _ = writeln!(
        out,
        "## Assistant message {number}\n\n{} bytes in {} chunks.\n\n{}",
        message.raw.len(),
        message.chunks.len(),
        fenced(&message.raw, "text")
    );
    if !message.ranges.is_empty() {
        table(
            out,
            "Hold map",
            &["Bytes", "What became of them", "Text"],
            message.ranges.iter().map(|range| {
                let text = message
                    .raw
                    .get(range.span.start..range.span.end)
                    .unwrap_or_default();
                vec![
                    format!("{}–{}", range.span.start, range.span.end),
                    fate(range),
                    cell(text),
                ]
            }),
        );
    }
    if !message.holds.is_empty() {
        table(
            out,
            "Holds",
            &["From", "For", "Bytes", "Reason", "Because"],
            message.holds.iter().map(|hold| {
                let lasted = hold
                    .until_ms
                    .map(|until| duration(until.saturating_sub(hold.from_ms)));
                vec![
                    format!("+{}", duration(hold.from_ms)),
                    lasted.unwrap_or_else(|| "not over".to_owned()),
                    format!("{}–{}", hold.hold.span.start, hold.hold.span.end),
                    cell(hold.hold.reason.code()),
                    cell(&hold.hold.because),
                ]
            }),
        );
    }
    if !message.diagnostics.is_empty() {
        table(
            out,
            "Findings",
            &["Bytes", "Code", "What"],
            message.diagnostics.iter().map(|found| {
                vec![
                    format!("{}–{}", found.span.start, found.span.end),
                    cell(found.code.code()),
                    cell(&found.message),
                ]
            }),
        );
    }
}

fn directives(out: &mut String, detail: &TurnDetail) {
    if detail.directives.is_empty() {
        return;
    }
    table(
        out,
        "Directives",
        &["At", "Directive", "Outcome"],
        detail.directives.iter().map(|entry| {
            let directive = serde_json::to_string(&entry.directive).unwrap_or_default();
            let outcome = entry
                .outcome
                .as_ref()
                .map_or("not over", |outcome| outcome.code.code());
            vec![
                format!("+{}", duration(entry.at_ms)),
                cell(&directive),
                cell(outcome),
            ]
        }),
    );
}

/// All operations but signs of writing.
fn deliveries(out: &mut String, ledger: &[LedgerEntry]) {
    let mut told: Vec<_> = ledger
        .iter()
        .filter(|entry| entry.intent.kind != OpKind::Typing)
        .collect();
    told.sort_by_key(|entry| entry.seq);
    if told.is_empty() {
        return;
    }
    table(
        out,
        "Deliveries",
        &["At", "Operation", "What", "Outcome"],
        told.into_iter().map(|entry| {
            let what = entry
                .text
                .as_ref()
                .or(entry.intent.emoji.as_ref())
                .or(entry.intent.path.as_ref());
            let outcome = entry.outcome.as_ref().map_or_else(
                || entry.waiting.clone().unwrap_or_else(|| "not over".to_owned()),
                |outcome| match &outcome.detail {
                    Some(detail) => format!("{}: {detail}", outcome.code),
                    None => outcome.code.to_string(),
                },
            );
            vec![
                format!("+{}", duration(entry.at_ms)),
                cell(entry.intent.kind.code()),
                cell(what.map_or("", String::as_str)),
                cell(&outcome),
            ]
        }),
    );
}

fn decisions(out: &mut String, detail: &TurnDetail) {
    table(
        out,
        "Decisions",
        &["At", "What was decided"],
        detail.decisions.iter().map(|decision| {
            let mark = if decision.error { "✗ " } else { "" };
            vec![
                format!("+{}", duration(decision.at_ms)),
                format!("{mark}{}", cell(&decision.text)),
            ]
        }),
    );
}

/// A table below a heading. The cells are Markdown.
pub(super) fn table(
    out: &mut String,
    heading: &str,
    columns: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) {
    let _ = writeln!(out, "### {heading}\n\n| {} |", columns.join(" | "));
    let _ = writeln!(out, "|{}", " --- |".repeat(columns.len()));
    for row in rows {
        let _ = writeln!(out, "| {} |", row.join(" | "));
    }
    out.push('\n');
}

/// A text as one line that is no markup; a line break is shown as `␊`.
pub(super) fn cell(text: &str) -> String {
    let line = one_line(&visible(text), CELL);
    let mut cell = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(
            c,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' | '!'
        ) {
            cell.push('\\');
        }
        cell.push(c);
    }
    cell
}

/// A text in a fence that nothing in it closes.
fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_closes_its_fence() {
        let text = "a\n````\nb";
        assert_eq!(fenced(text, "text"), "`````text\na\n````\nb\n`````\n");
        assert_eq!(fenced("a\n", "text"), "```text\na\n```\n");
    }

    #[test]
    fn nothing_in_a_cell_is_markup() {
        assert_eq!(cell("a|b\n<c> *d*"), r"a\|b␊\<c\> \*d\*");
    }
}
