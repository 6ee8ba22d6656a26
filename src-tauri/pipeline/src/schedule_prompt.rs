//! The text that the agent is given for a schedule, read when it is due.

use crate::config::{Config, ScheduleConfig};
use std::path::Path;

/// Most bytes of a file that is a prompt, or a part of one.
const LARGEST: u64 = 64 * 1024;

/// The text of a schedule that is due.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SchedulePrompt {
    /// It runs with this text.
    Text(String),
    /// The heartbeat's file holds no task, so there is nothing to run for.
    NoTask(String),
    /// Its file is empty, so that there is nothing to run with.
    Empty(String),
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// Reads the text of a schedule; files are relative to `base`.
pub(crate) fn schedule_prompt(config: &Config, schedule: &ScheduleConfig, base: &Path) -> SchedulePrompt {
    let tasks = match config.heartbeat.file.as_ref().filter(|_| schedule.heartbeat) {
        None => None,
        Some(file) => match read_text(&base.join(file)) {
            Ok(tasks) if !has_task(&tasks) => {
                return SchedulePrompt::NoTask(format!("{} holds no task", file.display()));
            }
            Ok(tasks) => Some(tasks),
            // There is no list to be empty: the prompt may name another place.
            Err(ReadFault::Missing) => None,
            Err(ReadFault::Other(why)) => {
                return SchedulePrompt::Unreadable(format!("{}: {why}", file.display()));
            }
        },
    };
    let prompt = match (&schedule.prompt, &schedule.prompt_file) {
        (Some(prompt), _) => prompt.clone(),
        (None, Some(file)) => match read_text(&base.join(file)) {
            Ok(text) if text.trim().is_empty() => {
                return SchedulePrompt::Empty(format!("{} is empty", file.display()));
            }
            Ok(text) => text,
            Err(ReadFault::Missing) => {
                return SchedulePrompt::Unreadable(format!("there is no file {}", file.display()));
            }
            Err(ReadFault::Other(why)) => {
                return SchedulePrompt::Unreadable(format!("{}: {why}", file.display()));
            }
        },
        (None, None) => config.heartbeat.prompt.clone(),
    };
    let prompt = prompt.trim();
    SchedulePrompt::Text(match tasks {
        Some(tasks) => format!("{prompt}\n\n{}", tasks.trim()),
        None => prompt.to_owned(),
    })
}

enum ReadFault {
    Missing,
    Other(String),
}

fn read_text(path: &Path) -> Result<String, ReadFault> {
    let fault = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => ReadFault::Missing,
        _ => ReadFault::Other(error.to_string()),
    };
    let size = std::fs::metadata(path).map_err(fault)?.len();
    if size > LARGEST {
        return Err(ReadFault::Other(format!(
            "it has {size} bytes, more than {LARGEST}"
        )));
    }
    std::fs::read_to_string(path).map_err(fault)
}

/// True where a line of the file is more than a heading, a blank, or an empty list item or box.
fn has_task(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim();
        let is_heading = line.trim_start_matches('#').starts_with([' ', '\t']) && line.starts_with('#');
        let is_bare_heading = !line.is_empty() && line.chars().all(|sign| sign == '#');
        let rest = line.strip_prefix(['-', '*', '+']).unwrap_or(line).trim();
        let is_empty_item = matches!(rest, "" | "[]" | "[ ]" | "[x]" | "[X]");
        !(is_heading || is_bare_heading || is_empty_item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_empty_boxes_are_no_task() {
        for none in [
            "",
            "\n\n",
            "# Tasks\n\n## Today\n",
            "# Tasks\n- [ ]\n* [x]\n- \n+\n",
            "###",
        ] {
            assert!(!has_task(none), "{none:?}");
        }
        for task in [
            "# Tasks\n- [ ] water the plants",
            "#hashtag",
            "<!-- note -->",
            "- a",
        ] {
            assert!(has_task(task), "{task:?}");
        }
    }
}
