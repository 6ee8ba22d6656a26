//! The frame of all checks: each is one question with one answer, all are asked at once, and all within one deadline.

use serde::Serialize;
use std::{any::Any, future::Future, pin::Pin};
use tokio::{
    task::{JoinHandle, spawn, spawn_blocking},
    time::{Instant, timeout_at},
};

/// State of what was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Fine,
    /// It works, but perhaps not as it was meant.
    Note,
    Wrong,
    /// The question could not be asked, or has no answer that costs nothing.
    Unasked,
}

impl State {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Note => "note",
            Self::Wrong => "wrong",
            Self::Unasked => "unasked",
        }
    }
}

/// The moment by which every check has its answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    pub(super) at: Instant,
    /// Seconds that the person gave, for the findings.
    pub(super) seconds: u32,
}

/// Answer to a check's question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) state: State,
    pub(super) found: String,
    pub(super) todo: Option<String>,
}

impl Answer {
    fn new(state: State, found: impl Into<String>, todo: Option<&str>) -> Self {
        Self {
            state,
            found: found.into(),
            todo: todo.map(str::to_owned),
        }
    }

    /// All is as it should be.
    pub(super) fn fine(found: impl Into<String>) -> Self {
        Self::new(State::Fine, found, None)
    }

    /// It works; `todo` says what to change where it was not meant so.
    pub(super) fn note(found: impl Into<String>, todo: &str) -> Self {
        Self::new(State::Note, found, Some(todo))
    }

    /// It does not work; `todo` says what to do, with the setting.
    pub(super) fn wrong(found: impl Into<String>, todo: &str) -> Self {
        Self::new(State::Wrong, found, Some(todo))
    }

    /// It could not be asked: `why`, and in `todo` the setting that would change it.
    pub(super) fn unasked(why: impl Into<String>, todo: &str) -> Self {
        Self::new(State::Unasked, why, Some(todo))
    }
}

type Asking = Pin<Box<dyn Future<Output = Answer> + Send>>;

enum Question {
    Asks(Asking),
    /// Blocks its thread: files, the keyring.
    Blocks(Box<dyn FnOnce() -> Answer + Send>),
    Answered(Answer),
}

/// One question.
pub(super) struct Check {
    about: String,
    asked: String,
    question: Question,
}

impl Check {
    /// A question to a program or a server. `about` is the setting that the answer is about, `asked` the question in
    /// words (`GET https://…/models`). The answer may take as long as it likes; the deadline is kept here.
    pub(super) fn new(
        about: impl Into<String>,
        asked: impl Into<String>,
        answer: impl Future<Output = Answer> + Send + 'static,
    ) -> Self {
        Self::of(about, asked, Question::Asks(Box::pin(answer)))
    }

    /// A question whose answer blocks its thread.
    pub(super) fn blocking(
        about: impl Into<String>,
        asked: impl Into<String>,
        answer: impl FnOnce() -> Answer + Send + 'static,
    ) -> Self {
        Self::of(about, asked, Question::Blocks(Box::new(answer)))
    }

    /// A question that the configuration alone answers.
    pub(super) fn answered(about: impl Into<String>, asked: impl Into<String>, answer: Answer) -> Self {
        Self::of(about, asked, Question::Answered(answer))
    }

    fn of(about: impl Into<String>, asked: impl Into<String>, question: Question) -> Self {
        Self {
            about: about.into(),
            asked: asked.into(),
            question,
        }
    }
}

/// A question and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) state: State,
    /// The setting, or a word.
    pub(super) about: String,
    /// The question in words.
    pub(super) asked: String,
    /// The answer, or why there is none.
    pub(super) found: String,
    /// The remedy, with the setting.
    pub(super) todo: Option<String>,
}

/// Asks everything at once. The findings stand in the order of the checks; a check without an answer at the deadline,
/// or one that panics, is a finding of its own and leaves the others alone.
pub(super) async fn ask_all(checks: Vec<Check>, deadline: Deadline) -> Vec<Finding> {
    let asked: Vec<_> = checks
        .into_iter()
        .map(|check| {
            let Check {
                about,
                asked,
                question,
            } = check;
            (about, asked, begin(question))
        })
        .collect();
    let mut findings = Vec::with_capacity(asked.len());
    for (about, asked, answer) in asked {
        let Answer { state, found, todo } = match answer {
            Ok(answer) => answer,
            Err(task) => wait(task, deadline).await,
        };
        findings.push(Finding {
            state,
            about,
            asked,
            found,
            todo,
        });
    }
    findings
}

fn begin(question: Question) -> Result<Answer, JoinHandle<Answer>> {
    match question {
        Question::Answered(answer) => Ok(answer),
        Question::Asks(asking) => Err(spawn(asking)),
        Question::Blocks(answer) => Err(spawn_blocking(answer)),
    }
}

async fn wait(task: JoinHandle<Answer>, deadline: Deadline) -> Answer {
    let stop = task.abort_handle();
    match timeout_at(deadline.at, task).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(failed)) => {
            let why = match failed.try_into_panic() {
                Ok(panic) => panic_text(panic.as_ref()),
                Err(cancelled) => cancelled.to_string(),
            };
            Answer::unasked(format!("the check itself failed: {why}"), "please report it")
        }
        Err(_) => {
            stop.abort();
            Answer::wrong(
                format!(
                    "no answer in time: all checks together have {} s",
                    deadline.seconds
                ),
                "look whether what is asked is overloaded or cannot be reached from here; a busy machine needs a longer \
                 --timeout",
            )
        }
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{future::pending, sync::Arc, time::Duration};
    use tokio::sync::Barrier;

    fn soon() -> Deadline {
        Deadline {
            at: Instant::now() + Duration::from_secs(5),
            seconds: 5,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn all_are_asked_at_once_and_answer_in_the_order_of_the_checks() {
        // Each answers only when all ten are being asked.
        let all = Arc::new(Barrier::new(10));
        let checks = (0..10).map(|number| {
            let all = Arc::clone(&all);
            Check::new(format!("{number}"), "the others", async move {
                all.wait().await;
                Answer::fine("they are there")
            })
        });
        let findings = ask_all(checks.collect(), soon()).await;
        let states: Vec<_> = findings
            .iter()
            .map(|finding| (finding.about.as_str(), finding.state))
            .collect();
        let expected = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"].map(|about| (about, State::Fine));
        assert_eq!(states, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn a_check_that_never_answers_or_panics_leaves_the_others_alone() {
        let start = Instant::now();
        let late = || Check::new("late", "in vain", pending());
        let panics = Check::new("broken", "a defect", async { panic!("a wrong index") });
        let checks = vec![
            late(),
            late(),
            panics,
            Check::blocking("file", "stat", || Answer::fine("there")),
        ];
        let findings = ask_all(checks, soon()).await;
        let found: Vec<_> = findings
            .iter()
            .map(|finding| (finding.state, finding.found.as_str()))
            .collect();
        assert_eq!(found[0].0, State::Wrong);
        assert!(found[0].1.ends_with("have 5 s"), "{found:?}");
        assert_eq!(found[1], found[0]);
        assert_eq!(
            found[2],
            (State::Unasked, "the check itself failed: a wrong index")
        );
        assert_eq!(found[3], (State::Fine, "there"));
        // Two late ones wait for one deadline, not one after the other.
        assert_eq!(start.elapsed(), Duration::from_secs(5));
    }
}
