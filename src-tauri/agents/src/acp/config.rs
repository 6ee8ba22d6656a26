//! How an agent's program is started and how long it is waited for.

use crate::Secret;
use foldback_programs::Confinement;
use std::{collections::BTreeMap, path::PathBuf, time::Duration};

/// Everything the backend needs to know; secrets are resolved already.
#[derive(Debug, Clone)]
pub struct AcpConfig {
    /// The program: a path, or a name to be found in `PATH`.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it works, absolute; made when it does not exist.
    pub directory: PathBuf,
    /// Variables beside [`PASSED_ON`](foldback_programs::PASSED_ON).
    pub env: BTreeMap<String, String>,
    /// Values that are never told, such as keys in `env`: hidden in everything that a failure says.
    pub secrets: Vec<Secret>,
    /// How it is asked to sign in, by the agent's id of the method, before a session begins.
    pub sign_in: Option<String>,
    /// The session's mode, by the agent's id of it; as the agent likes when absent.
    pub mode: Option<String>,
    /// The session's settings, by the agent's ids of option and value.
    pub options: BTreeMap<String, String>,
    /// The space that it is confined to; it can do whatever our user can when absent.
    pub confinement: Option<Confinement>,
    /// The program that guards it, which asks [`run_if_asked`](foldback_programs::guard::run_if_asked); this program
    /// when absent.
    pub guard: Option<PathBuf>,
    /// Limits.
    pub limits: AcpLimits,
}

impl AcpConfig {
    /// A program with the default limits.
    pub fn new(program: impl Into<PathBuf>, directory: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            directory: directory.into(),
            env: BTreeMap::new(),
            secrets: Vec::new(),
            sign_in: None,
            mode: None,
            options: BTreeMap::new(),
            confinement: None,
            guard: None,
            limits: AcpLimits::default(),
        }
    }
}

/// Limits of time and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcpLimits {
    /// From the start of the process to a session that takes prompts.
    pub start: Duration,
    /// From the prompt to the first sign of an answer.
    pub first_byte: Duration,
    /// Between two signs of life in an answer. A tool that runs and a permission that is waited for are no silence.
    pub silence: Duration,
    /// For the whole answer, tools and permissions included.
    pub total: Duration,
    /// For a cancelled answer to end; then the process is stopped.
    pub cancel: Duration,
    /// Between the end of its input and SIGTERM, and between SIGTERM and SIGKILL.
    pub stop: Duration,
    /// Without a message, until the process is stopped.
    pub idle: Duration,
    /// Most processes at a time.
    pub processes: usize,
    /// Longest line of the protocol in bytes. Parsed, it takes up to thirty times as much.
    pub line_bytes: usize,
    /// Longest answer in bytes, with its reasoning and what is told of its tools and permissions.
    pub answer_bytes: usize,
}

impl Default for AcpLimits {
    fn default() -> Self {
        Self {
            start: Duration::from_mins(1),
            first_byte: Duration::from_mins(2),
            silence: Duration::from_mins(2),
            total: Duration::from_mins(30),
            cancel: Duration::from_secs(5),
            stop: Duration::from_secs(2),
            idle: Duration::from_mins(15),
            processes: 16,
            line_bytes: 4 * 1024 * 1024,
            answer_bytes: 50_000_000,
        }
    }
}
