//! The directives, one row each: the reader, completion and the documents read this table.

use super::set::{Directives, Level, Model, Queue, Status};
use super::value::{Kind, Value};
use super::words::{
    Elevated, ExecAsk, ExecHost, ExecSecurity, QueueDrop, QueueMode, Reasoning, Think, Verbose,
};

/// How an argument is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A word alone.
    Bare(Kind),
    /// `name=value` or `name:value`.
    Keyed(Kind),
    /// Its name alone.
    Flag,
    /// Its name alone; it ends the directive.
    Last,
}

/// One argument.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// How it is written, and what it takes.
    pub form: Form,
    /// What it is for.
    pub about: &'static str,
    pub(super) set: fn(&mut Directives, Value<'_>),
}

/// One directive.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name, without the slash.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// What it does.
    pub about: &'static str,
    /// A correct example.
    pub example: &'static str,
    /// Whether arguments follow one another until a word is none. Otherwise there is one value, then flags.
    pub list: bool,
    /// What it takes. A directive that takes nothing is whole without a value.
    pub arguments: &'static [Argument],
    /// Begins it anew: whatever an earlier one said is gone.
    pub(super) begin: fn(&mut Directives),
}

impl Row {
    /// Whether `name` means this directive, in any ASCII case.
    pub(super) fn is(&self, name: &str) -> bool {
        let names = std::iter::once(&self.name).chain(self.aliases);
        names.into_iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

macro_rules! level {
    ($name:ident, $aliases:expr, $type:ident, $about:literal, $example:literal) => {
        Row {
            name: stringify!($name),
            aliases: $aliases,
            about: $about,
            example: $example,
            list: false,
            arguments: &[Argument {
                name: "level",
                form: Form::Bare(Kind::Words($type::WORDS)),
                about: $about,
                set: |set, value| {
                    set.$name = Some(Level {
                        level: value.word($type::ALL),
                    });
                },
            }],
            begin: |set| set.$name = Some(Level::default()),
        }
    };
}

macro_rules! argument {
    ($slot:ident.$field:ident, $name:literal, $form:expr, $about:literal, $read:expr) => {
        Argument {
            name: $name,
            form: $form,
            about: $about,
            set: |set, value| set.$slot.get_or_insert_default().$field = $read(value),
        }
    };
}

/// The row of `/model`, which an alias stands for too.
pub(super) const MODEL: &Row = &Row {
    name: "model",
    aliases: &[],
    about: "Which model answers.",
    example: "/model anthropic/claude@work",
    list: false,
    arguments: &[
        Argument {
            name: "model",
            form: Form::Bare(Kind::Model),
            about: "[provider/]model[@profile], an alias, or a number of the last list.",
            set: |set, value| {
                let (model, profile) = value.model();
                let slot = set.model.get_or_insert_default();
                (slot.model, slot.profile) = (Some(model.to_owned()), profile.map(str::to_owned));
            },
        },
        argument!(
            model.session,
            "--session",
            Form::Flag,
            "Keeps it for the session, even beside text.",
            |_| true
        ),
    ],
    begin: |set| set.model = Some(Model::default()),
};

/// Every directive, in the order in which they are printed.
pub const TABLE: &[Row] = &[
    level!(
        think,
        &["thinking", "t"],
        Think,
        "How much the model thinks.",
        "/think high"
    ),
    level!(
        verbose,
        &["v"],
        Verbose,
        "How much of the agent's work is told.",
        "/verbose on"
    ),
    level!(
        reasoning,
        &["reason"],
        Reasoning,
        "Whether reasoning is shown.",
        "/reasoning stream"
    ),
    level!(
        elevated,
        &["elev"],
        Elevated,
        "What the agent may do outside its sandbox.",
        "/elevated ask"
    ),
    Row {
        name: "exec",
        aliases: &[],
        about: "Where and how commands run.",
        example: "/exec host=gateway ask=on-miss",
        list: true,
        arguments: &[
            argument!(
                exec.host,
                "host",
                Form::Keyed(Kind::Words(ExecHost::WORDS)),
                "Where.",
                |v: Value<'_>| v.word(ExecHost::ALL)
            ),
            argument!(
                exec.security,
                "security",
                Form::Keyed(Kind::Words(ExecSecurity::WORDS)),
                "Which.",
                |v: Value<'_>| v.word(ExecSecurity::ALL)
            ),
            argument!(
                exec.ask,
                "ask",
                Form::Keyed(Kind::Words(ExecAsk::WORDS)),
                "When a person is asked.",
                |v: Value<'_>| v.word(ExecAsk::ALL)
            ),
            argument!(
                exec.node,
                "node",
                Form::Keyed(Kind::Id),
                "The paired machine.",
                |v: Value<'_>| Some(v.text().to_owned())
            ),
        ],
        begin: |set| set.exec = Some(super::set::Exec::default()),
    },
    Row {
        name: "status",
        aliases: &[],
        about: "Tells the state of the session.",
        example: "/status",
        list: false,
        arguments: &[],
        begin: |set| set.status = Some(Status {}),
    },
    *MODEL,
    Row {
        name: "queue",
        aliases: &[],
        about: "What happens to messages while a run is active.",
        example: "/queue collect debounce:2s cap:5 drop:old",
        list: true,
        arguments: &[
            argument!(
                queue.mode,
                "mode",
                Form::Bare(Kind::Words(QueueMode::WORDS)),
                "What happens to a message.",
                |v: Value<'_>| v.word(QueueMode::ALL)
            ),
            argument!(
                queue.debounce_ms,
                "debounce",
                Form::Keyed(Kind::Duration),
                "How long it must be quiet: 500, 2s, 1m30s; 0 does not wait.",
                |v: Value<'_>| Some(v.number())
            ),
            argument!(
                queue.cap,
                "cap",
                Form::Keyed(Kind::Count),
                "Most messages that wait, at least 1.",
                |v: Value<'_>| Some(v.number())
            ),
            argument!(
                queue.drop,
                "drop",
                Form::Keyed(Kind::Words(QueueDrop::WORDS)),
                "Which message goes when there are more.",
                |v: Value<'_>| v.word(QueueDrop::ALL)
            ),
            Argument {
                name: "reset",
                form: Form::Last,
                about: "Clears everything that was set.",
                set: |set, _| {
                    set.queue = Some(Queue {
                        reset: true,
                        ..Queue::default()
                    });
                },
            },
        ],
        begin: |set| set.queue = Some(Queue::default()),
    },
];
