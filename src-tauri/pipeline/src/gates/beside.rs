//! Commands beside a text that goes to the agent: `[[status]]` alone on a line, where `commands.inline` allows it,
//! `/status` among other words, and `/whoami` on a line above them. Each becomes a message of its own, which is answered while the agent is asked the rest.
//!
//! ```text
//!   Summarise this, please.
//!   [[usage]]                  the agent is asked the first line; /usage is answered
//! ```
//!
//! What must hold: only what tells something stands beside a text. What sets something, or acts, needs a message of its
//! own, as nobody could say whether it counts for the text already.

use super::agent_text::AgentText;
use crate::stages::commands::{Action, recognise};
use foldback_directives::{
    Span,
    inbound::{bracketed_lines, without_spans},
};
use foldback_wire::{DirectiveScope, InlineDirective, InlineDirectives};

/// A command in a message, and the bytes that it stands at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandLine {
    pub(super) span: Span,
    /// As a message of its own would have it: `/usage`.
    pub(super) text: String,
}

/// The commands that stand in double brackets, alone on a line.
pub(super) fn command_lines(text: &str) -> Vec<CommandLine> {
    let lines = bracketed_lines(text).into_iter();
    let commands = lines.filter_map(|line| {
        let text = format!("/{}", line.body.trim_start_matches('/'));
        let found = recognise(&text)?;
        found
            .row
            .action
            .only_tells(&found.arguments)
            .then_some(CommandLine {
                span: line.span,
                text,
            })
    });
    commands.collect()
}

/// The command on the first line of a text that has more lines. `/status` is a directive, which is found anywhere.
pub(super) fn first_line(text: &str) -> Option<CommandLine> {
    let (line, below) = text.split_once('\n')?;
    let found = recognise(line)?;
    let stands_beside = found.row.action != Action::Status && found.row.action.only_tells(&found.arguments);
    (stands_beside && !below.trim().is_empty()).then(|| CommandLine {
        span: Span::new(0, line.len() + 1),
        text: line.trim().to_owned(),
    })
}

/// The command that a whole text in double brackets is: any may be alone.
pub(super) fn bracketed_whole(text: &str) -> Option<String> {
    let [line] = bracketed_lines(text).try_into().ok()?;
    let is_whole = text.trim().len() == line.span.end - line.span.start;
    is_whole.then(|| format!("/{}", line.body.trim_start_matches('/')))
}

/// The words for the agent without the commands among them, which are answered beside. Where nothing else is left, all
/// stays as it is.
pub(super) fn with_commands_beside(written: &str, lines: Vec<CommandLine>, mut text: AgentText) -> AgentText {
    let asks_status = |read: &InlineDirectives| read.directives.iter().any(|one| one.name == "status");
    if text.read.as_ref().is_some_and(asks_status) {
        text.beside.push("/status".to_owned());
    }
    if lines.is_empty() {
        return text;
    }
    let mut spans = text
        .read
        .as_ref()
        .map_or_else(Vec::new, |read| read.spans.clone());
    spans.extend(lines.iter().map(|line| line.span));
    spans.sort_by_key(|span| span.start);
    let left = without_spans(written, &spans);
    if left.trim().is_empty() {
        return text;
    }
    let read = text.read.get_or_insert_with(|| InlineDirectives {
        directives: Vec::new(),
        spans: Vec::new(),
        scope: DirectiveScope::Turn,
        findings: Vec::new(),
        setting: None,
        decided_by: None,
    });
    read.spans = spans;
    for CommandLine { text: command, .. } in lines {
        read.directives.push(InlineDirective {
            name: command.trim_start_matches('/').to_owned(),
            value: String::new(),
        });
        text.beside.push(command);
    }
    text.text = Some(left);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beside(written: &str) -> AgentText {
        with_commands_beside(written, command_lines(written), AgentText::default())
    }

    #[test]
    fn a_command_on_a_line_of_its_own_is_taken_out_and_told() {
        let text = beside("Sum it up:\n[[usage]]\n  - a\n[[/whoami]]");
        assert_eq!(text.text.as_deref(), Some("Sum it up:\n  - a"));
        assert_eq!(text.beside, ["/usage", "/whoami"]);
        let read = text.read.unwrap();
        assert_eq!(read.scope, DirectiveScope::Turn);
        assert_eq!(read.spans, [Span::new(11, 20), Span::new(27, 38)]);
    }

    #[test]
    fn a_command_above_a_text_is_taken_out_and_told() {
        let lines = |written| first_line(written).into_iter().collect();
        let written = "/whoami\nSum it up:\n  - a";
        let text = with_commands_beside(written, lines(written), AgentText::default());
        assert_eq!(text.text.as_deref(), Some("Sum it up:\n  - a"));
        assert_eq!(text.beside, ["/whoami"]);
        for written in [
            "/whoami",
            "/whoami\n ",
            "/whoami now\nhi",
            "/stop\nhi",
            "/status\nhi",
            "hi\n/whoami",
        ] {
            assert_eq!(first_line(written), None, "{written}");
        }
    }

    #[test]
    fn what_sets_something_is_no_command_or_stands_alone_stays() {
        for written in [
            "hi\n[[stop]]",
            "hi\n[[usage off]]",
            "hi\n[[Note]]",
            "see [[usage]]",
        ] {
            assert_eq!(beside(written), AgentText::default(), "{written}");
        }
        assert_eq!(beside("[[usage]]\n[[whoami]]"), AgentText::default());
        assert_eq!(bracketed_whole(" [[stop]]\n").as_deref(), Some("/stop"));
        assert_eq!(bracketed_whole("[[stop]] it"), None);
    }
}
