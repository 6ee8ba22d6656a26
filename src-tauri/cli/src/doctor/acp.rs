//! The program of an ACP agent: is it there, where does it work, and what can it reach?

use super::{
    check::{Answer, Check},
    subject::Subject,
};
use std::path::Path;

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let of = || subject.clone();
    let (program, folder, reach) = (of(), of(), of());
    vec![
        Check::blocking(
            "agent.acp.command",
            "for the agent's program",
            move || match program.config.agent.acp.program(&program.base) {
                Ok(program) => Answer::fine(program.display().to_string()),
                Err(error) => Answer::wrong(error.to_string(), "install the agent, or name its program"),
            },
        ),
        Check::blocking("agent.acp.directory", "for the agent's folder", move || {
            where_it_works(&folder)
        }),
        Check::blocking("agent.acp.confine", "for what the agent can reach", move || {
            what_it_reaches(&reach)
        }),
        not_asked("agent.acp.env", "the agent for the key of its model"),
        not_asked("agent.acp.options", "the agent for its model"),
    ]
}

/// Only an answer of the agent tells whether its key and model work, and that costs tokens.
fn not_asked(about: &str, asked: &str) -> Check {
    let why = "was not asked: the agent has both from its own settings and variables, and only an answer shows whether \
               they work";
    let todo = format!("try it with `foldback send \"hello\"`; what it is given is in {about}");
    Check::answered(about, asked, Answer::unasked(why, &todo))
}

/// An agent takes the files around it for its own project: it reads what lies above its folder, and looks around there.
fn where_it_works(subject: &Subject) -> Answer {
    let Some(folder) = subject.agent_folder() else {
        return Answer::wrong(
            "the system has no folder for it",
            "name one in agent.acp.directory",
        );
    };
    let beside = |path: &Path| folder.starts_with(path);
    let inside = match &subject.file {
        _ if beside(&subject.data) => "the data folder",
        Some(_) if beside(&subject.base) => "the folder of the configuration",
        _ => return Answer::fine(folder.display().to_string()),
    };
    Answer::note(
        format!("{} lies below {inside}, where tokens are", folder.display()),
        "choose a folder elsewhere, or leave agent.acp.directory out",
    )
}

fn what_it_reaches(subject: &Subject) -> Answer {
    match subject.config.agent.acp.bubblewrap() {
        Ok(Some(bubblewrap)) => Answer::fine(format!(
            "confined by {}: it writes its own folder and files.send_dir, and does not see Foldback's files",
            bubblewrap.display()
        )),
        Ok(None) => Answer::note(
            "it runs as your user: it can read and change the configuration, the journal, secrets in files and your \
             other files, and ask the keyring",
            "set agent.acp.confine = true to confine it with bubblewrap",
        ),
        Err(error) => Answer::wrong(error.to_string(), "install the package bubblewrap"),
    }
}
