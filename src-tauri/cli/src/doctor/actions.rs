//! Actions: at whose word an agent has commands run, where, and what they reach.

use super::{
    check::{Answer, Check},
    subject::Subject,
};
use foldback_actions::terminal::shell_path;
use foldback_directives::Dialect;
use foldback_pipeline::config::{Backend, BashConfig};

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let actions = &subject.config.actions;
    if !actions.bash.enabled && !actions.terminal.enabled {
        let unread = actions
            .event
            .enabled
            .then(|| nothing_reads_them(subject))
            .flatten();
        return unread.into_iter().collect();
    }
    let (folder, reach) = (subject.clone(), subject.clone());
    let mut checks = vec![
        at_whose_word(subject),
        Check::blocking("actions.terminal", "for the shell", the_shell),
        Check::blocking("actions.bash.folder", "for the folder of commands", move || {
            where_they_work(&folder)
        }),
        Check::blocking("actions.bash.confine", "for what commands can reach", move || {
            what_they_reach(&reach)
        }),
    ];
    checks.extend(nothing_reads_them(subject));
    checks
}

fn at_whose_word(subject: &Subject) -> Check {
    let actions = &subject.config.actions;
    let asked = "the configuration at whose word commands run";
    let (about, off) = match (actions.bash.enabled, actions.terminal.enabled) {
        (true, false) => ("actions.bash", "leave it so, or set actions.bash.enabled = false"),
        (false, _) => (
            "actions.terminal",
            "leave it so, or set actions.terminal.enabled = false",
        ),
        (true, true) => (
            "actions.bash",
            "leave it so, or set actions.bash.enabled and actions.terminal.enabled to false",
        ),
    };
    let owners = &subject.config.commands.owner_allow_from;
    let bash = &subject.config.actions.bash;
    let answer = if owners.is_empty() {
        Answer::note(
            "is on, and the list of owners is empty: no command is run",
            "name yourself in commands.owner_allow_from, such as \"telegram:42\"",
        )
    } else if owners.iter().any(|owner| owner == "*") {
        Answer::wrong(
            "whoever may write to the bot is an owner, and the agent runs commands at their word",
            "name the owners one by one in commands.owner_allow_from",
        )
    } else if bash.allow.is_empty() {
        Answer::note(
            "is on: the agent runs commands on this machine at an owner's word, each after a confirmation",
            off,
        )
    } else {
        Answer::note(
            "is on: the agent runs commands on this machine at an owner's word; those that actions.bash.allow names run \
             without a confirmation",
            off,
        )
    };
    Check::answered(about, asked, answer)
}

/// Every command runs in it, also one alone.
fn the_shell() -> Answer {
    match shell_path() {
        Some(shell) => Answer::fine(format!("commands run in {}", shell.display())),
        None => Answer::wrong("there is no bash: no command runs", "install the package bash"),
    }
}

/// An agent that is let read the bot's files can be asked for them.
fn where_they_work(subject: &Subject) -> Answer {
    let Some(folder) = subject.command_folder() else {
        return Answer::wrong(
            "the system has no folder for it",
            "name one in actions.bash.folder",
        );
    };
    let inside = [
        (&subject.data, "the data folder"),
        (&subject.base, "the folder of the configuration"),
    ];
    let inside = inside.into_iter().find(|(path, _)| folder.starts_with(path));
    match inside {
        Some((_, what)) => Answer::note(
            format!("{} lies below {what}, where tokens are", folder.display()),
            "choose a folder elsewhere, or leave actions.bash.folder out",
        ),
        None => Answer::fine(folder.display().to_string()),
    }
}

fn what_they_reach(subject: &Subject) -> Answer {
    match subject.config.actions.bash.bubblewrap() {
        Ok(Some(bubblewrap)) => Answer::fine(format!(
            "confined by {}: commands write their own folder, and do not see Foldback's files; the network is open to them",
            bubblewrap.display()
        )),
        Ok(None) => {
            let todo = if has_bubblewrap() {
                "set actions.bash.confine = true to confine them with bubblewrap, which is installed"
            } else {
                "install the package bubblewrap, and set actions.bash.confine = true to confine them with it"
            };
            Answer::note(
                "commands run as your user: they can read and change the configuration, the journal, secrets in files and \
                 your other files",
                todo,
            )
        }
        Err(error) => Answer::wrong(error.to_string(), "install the package bubblewrap"),
    }
}

fn has_bubblewrap() -> bool {
    let confined = BashConfig {
        confine: true,
        ..BashConfig::default()
    };
    confined.bubblewrap().is_ok()
}

/// Actions are tools where the backend takes them as such, and else JSON, which is read only where it is wanted.
fn nothing_reads_them(subject: &Subject) -> Option<Check> {
    let config = &subject.config;
    let reads = |id| {
        let takes_tools = matches!(
            config.backend_of(id),
            Backend::Openai | Backend::Anthropic | Backend::Acp
        );
        config.actions.tools && takes_tools || config.output_of(id).dialects.contains(&Dialect::Json)
    };
    if config.channels.keys().any(reads) {
        return None;
    }
    let answer = Answer::note(
        "actions are on, and no channel reads JSON of the agent",
        "add \"json\" to output.dialects",
    );
    Some(Check::answered(
        "output.dialects",
        "the configuration for what is read",
        answer,
    ))
}
