//! The page of directives and commands that users write, from the tables that the pipeline reads.

use foldback_api::typescript::File;
use foldback_channels::slack_manifest;
use foldback_directives::inbound::{Argument, Form, Kind, Row, TABLE};
use foldback_pipeline::{
    command_menu, command_references,
    config::{Config, TEMPLATE_NAMES, TemplateText},
};
use std::fmt::Write as _;

const HEAD: &str = include_str!("commands/head.md");

/// The page.
pub(crate) fn page() -> File {
    let manifest = slack_manifest(&command_menu(&Config::default()), None);
    let mut text = HEAD.replace("{{slack_manifest}}\n", &manifest);
    text += "\n## Commands\n\n| command | what it does | who may |\n|---|---|---|\n";
    for command in command_references() {
        let aliases = listed(command.aliases);
        let usage = command.usage.replace('|', "\\|");
        let who = if command.for_owners {
            "owners"
        } else {
            "whoever may use commands"
        };
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "| `{usage}`{aliases} | {} | {who} |", command.about);
    }
    template_names(&mut text);
    text += "\n## Directives\n";
    for row in TABLE {
        directive(&mut text, row);
    }
    File {
        name: "commands.md",
        text,
    }
}

/// The names that texts of the configuration know.
fn template_names(text: &mut String) {
    text.push_str(
        "\n## Names in texts\n\nSome texts of the configuration have names in braces, which are filled in. A name that a text \
         does not know is an error\nof the configuration, with its line.\n\n| name | known in | stands for |\n|---|---|---|\n",
    );
    for row in &TEMPLATE_NAMES {
        let names = row.spelling().replace(" to ", "` to `");
        let known_in = match row.text() {
            TemplateText::ResponsePrefix => "`response_prefix`; `{{ }}` as well",
            TemplateText::CustomCommand => "`prompt` and `run` of `[commands.custom.NAME]`",
        };
        let _ = writeln!(text, "| `{names}` | {known_in} | {} |", row.about);
    }
}

/// Other names, each behind a comma.
fn listed(aliases: &[&str]) -> String {
    let names: Vec<_> = aliases.iter().map(|alias| format!(", `/{alias}`")).collect();
    names.concat()
}

fn directive(text: &mut String, row: &Row) {
    let aliases = listed(row.aliases);
    let _ = write!(
        text,
        "\n### `/{}`{aliases}\n\n{} For example `{}`.\n",
        row.name, row.about, row.example
    );
    if !row.arguments.is_empty() {
        text.push_str("\n| value | meaning |\n|---|---|\n");
    }
    for argument in row.arguments {
        values(text, argument);
    }
}

fn values(text: &mut String, argument: &Argument) {
    let (before, kind) = match argument.form {
        Form::Bare(kind) => (String::new(), Some(kind)),
        Form::Keyed(kind) => (format!("{}=", argument.name), Some(kind)),
        Form::Flag | Form::Last => (argument.name.to_owned(), None),
    };
    let mut line = |value: &str, about: &str| {
        let _ = writeln!(text, "| `{before}{value}` | {about} |");
    };
    match kind {
        None => line("", argument.about),
        Some(Kind::Words(words)) => {
            for word in words {
                let also = match word.aliases {
                    [] => String::new(),
                    aliases => format!(" Also: {}.", aliases.join(", ")),
                };
                line(word.canonical, &format!("{}{also}", word.about));
            }
        }
        Some(Kind::Id) => line("ID", argument.about),
        Some(Kind::Duration) => line("DURATION", argument.about),
        Some(Kind::Count) => line("N", argument.about),
        Some(Kind::Model) => line("MODEL", argument.about),
    }
}
