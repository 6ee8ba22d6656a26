//! Bounds that settings must keep and no type has.

use super::{
    BashConfig, Config, DeliveriesConfig, Interval, LinkMode, TerminalConfig, deliveries::MOST_DELIVERIES,
};
use std::time::Duration;

/// Most processes of `acp` that may be allowed: each is a program of its own.
const MOST_PROCESSES: usize = 1024;

/// Most runs at once that may be allowed: each needs a connection or a process.
const MOST_RUNS: usize = 10_000;

/// Fewest tokens of a conversation that may be allowed: less holds no prompt, which has the sender and the grammar.
const LEAST_CONTEXT: u32 = 1_000;

/// Least time between two showings of typing: platforms show it for 5 seconds and more
/// (<https://core.telegram.org/bots/api#sendchataction>), and each is a call that counts against their limits.
const SHORTEST_TYPING: Duration = Duration::from_secs(1);

/// Longest time within which deliveries are counted: a start reads back as far.
const LONGEST_WINDOW: Duration = Duration::from_hours(24);

/// A setting that is out of its bounds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {message}")]
pub struct OutOfBounds {
    /// The field's full name.
    pub field: &'static str,
    /// The values that would do.
    pub message: String,
}

impl Config {
    /// Checks the settings that have bounds.
    ///
    /// # Errors
    /// With the first one that is out of its bounds.
    pub fn check_bounds(&self) -> Result<(), OutOfBounds> {
        let Self {
            agent,
            queue,
            outbox,
            typing,
            session,
            files,
            store,
            log,
            ..
        } = self;
        let at_least_1 = || "must be at least 1".to_owned();
        let from_1_to = |most: usize| format!("must be from 1 to {most}");
        let bounds = [
            ("queue.cap", queue.cap != Some(0), at_least_1()),
            ("outbox.attempts", outbox.attempts > 0, at_least_1()),
            (
                "agent.acp.max_processes",
                (1..=MOST_PROCESSES).contains(&agent.acp.max_processes),
                from_1_to(MOST_PROCESSES),
            ),
            (
                "agent.max_runs",
                (1..=MOST_RUNS).contains(&agent.max_runs),
                from_1_to(MOST_RUNS),
            ),
            (
                "agent.context_tokens",
                agent.context_tokens >= LEAST_CONTEXT,
                format!("must be at least {LEAST_CONTEXT}"),
            ),
            (
                "agent.compact_at",
                agent.compact_at > 0.0 && agent.compact_at <= 1.0,
                "must be above 0 and at most 1".to_owned(),
            ),
            (
                "session.reset_words",
                session.has_words(),
                "must have no empty word".to_owned(),
            ),
            (
                "session.main",
                session.main.as_ref().is_none_or(|name| !name.trim().is_empty()),
                "must not be empty; leave it out for a conversation of each chat".to_owned(),
            ),
            (
                "typing.every",
                typing.every.0 >= SHORTEST_TYPING,
                "must be at least 1s; platforms show it for 5 seconds and more".to_owned(),
            ),
        ];
        let paths = [
            ("files.send_dir", Some(&files.send_dir)),
            ("store.file", store.file.as_ref()),
        ];
        let paths = paths.map(|(field, path)| {
            let named = path.is_none_or(|path| !path.as_os_str().is_empty());
            (
                field,
                named,
                "must not be empty; leave it out for the default".to_owned(),
            )
        });
        let times = self.times().map(|(field, time)| {
            let passes = time.is_none_or(|time| !time.0.is_zero());
            (field, passes, "must be more than 0".to_owned())
        });
        let others = [
            (
                "store.max_size",
                store.max_size.is_none_or(|size| size.0 > 0),
                "must be more than 0; leave it out for as large as the disk".to_owned(),
            ),
            (
                "log.level",
                log.names_levels(),
                "must be levels: off, error, warn, info, debug or trace, or with a part of the program such as \
                 info,foldback_pipeline=debug"
                    .to_owned(),
            ),
        ];
        let others = others
            .into_iter()
            .chain(self.link_bounds())
            .chain(self.delivery_bounds())
            .chain(self.bash_bounds())
            .chain(self.terminal_bounds())
            .chain(self.event_bounds())
            .chain(self.file_bounds());
        let mut bounds = bounds.into_iter().chain(paths).chain(times).chain(others);
        match bounds.find(|(_, kept, _)| !kept) {
            Some((field, _, message)) => Err(OutOfBounds { field, message }),
            None => Ok(()),
        }
    }

    /// Settings of deliveries, whether they are kept, and the values that would do.
    fn delivery_bounds(&self) -> [(&'static str, bool, String); 3] {
        let DeliveriesConfig {
            window,
            per_requester,
            total,
        } = self.deliveries;
        let from_1 = || format!("must be from 1 to {MOST_DELIVERIES}");
        let fits = |count: u32| (1..=MOST_DELIVERIES).contains(&count);
        [
            (
                "deliveries.window",
                !window.0.is_zero() && window.0 <= LONGEST_WINDOW,
                "must be more than 0 and at most 24h".to_owned(),
            ),
            ("deliveries.per_requester", fits(per_requester), from_1()),
            ("deliveries.total", fits(total), from_1()),
        ]
    }

    /// Settings of links, whether they are kept, and the values that would do.
    fn link_bounds(&self) -> [(&'static str, bool, String); 2] {
        let links = &self.links;
        let is_readable = links.mode != LinkMode::Program || !links.command.is_empty();
        [
            (
                "links.command",
                is_readable,
                "must name the program that reads links".to_owned(),
            ),
            (
                "links.max_size",
                links.max_size.0 > 0,
                "must be more than 0; links.mode = \"off\" reads none".to_owned(),
            ),
        ]
    }

    /// Settings of the action `bash`, whether they are kept, and the values that would do.
    fn bash_bounds(&self) -> [(&'static str, bool, String); 3] {
        let bash = &self.actions.bash;
        let (shortest, longest) = (BashConfig::SHORTEST, BashConfig::LONGEST);
        let (least, most) = (BashConfig::LEAST_OUTPUT, BashConfig::MOST_OUTPUT);
        [
            (
                "actions.bash.timeout",
                (shortest..=longest).contains(&bash.timeout),
                format!("must be from {shortest} to {longest}"),
            ),
            (
                "actions.bash.max_output",
                (least..=most).contains(&bash.max_output),
                "must be from 256B to 8KiB".to_owned(),
            ),
            (
                "actions.bash.folder",
                bash.folder
                    .as_ref()
                    .is_none_or(|folder| !folder.as_os_str().is_empty()),
                "must not be empty; leave it out for the default".to_owned(),
            ),
        ]
    }

    /// Settings of the action `terminal`, whether they are kept, and the values that would do.
    fn terminal_bounds(&self) -> [(&'static str, bool, String); 2] {
        let terminal = &self.actions.terminal;
        let (shortest, longest) = (TerminalConfig::SHORTEST_IDLE, TerminalConfig::LONGEST_IDLE);
        let most = TerminalConfig::MOST_SHELLS;
        [
            (
                "actions.terminal.idle",
                (shortest..=longest).contains(&terminal.idle),
                format!("must be from {shortest} to {longest}"),
            ),
            (
                "actions.terminal.max_shells",
                (1..=most).contains(&terminal.max_shells),
                format!("must be from 1 to {most}"),
            ),
        ]
    }

    /// Settings of the action `event`, whether they are kept, and the values that would do.
    fn event_bounds(&self) -> [(&'static str, bool, String); 2] {
        let event = &self.actions.event;
        [
            (
                "actions.event.zone",
                event.knows_zone(),
                "must be the IANA name of a time zone, such as Europe/Berlin".to_owned(),
            ),
            (
                "actions.event.per_person",
                (1..=1000).contains(&event.per_person),
                "must be from 1 to 1000".to_owned(),
            ),
        ]
    }

    /// Settings of files that are understood, whether they are kept, and the values that would do.
    fn file_bounds(&self) -> [(&'static str, bool, String); 6] {
        let documents = &self.attachments.documents;
        let descriptions = &self.attachments.descriptions;
        let is_off = |table: &str| format!("must be more than 0; {table}.enabled = false understands none");
        let documents_off = || is_off("attachments.documents");
        let descriptions_off = || is_off("attachments.descriptions");
        [
            (
                "attachments.documents.max_chars",
                documents.max_chars > 0,
                documents_off(),
            ),
            (
                "attachments.documents.max_pages",
                documents.max_pages > 0,
                documents_off(),
            ),
            (
                "attachments.documents.pdf",
                documents
                    .pdf
                    .first()
                    .is_none_or(|program| !program.trim().is_empty()),
                "must name the program that reads PDF; [] reads none".to_owned(),
            ),
            (
                "attachments.descriptions.max_pictures",
                descriptions.max_pictures > 0,
                descriptions_off(),
            ),
            (
                "attachments.descriptions.max_size",
                descriptions.max_size.0 > 0,
                descriptions_off(),
            ),
            (
                "attachments.descriptions.max_length",
                descriptions.max_length > 0,
                descriptions_off(),
            ),
        ]
    }

    /// The waits that end something: with none at all it would end before it began.
    fn times(&self) -> [(&'static str, Option<Interval>); 15] {
        let Self {
            agent,
            attachments,
            links,
            outbox,
            session,
            ..
        } = self;
        let acp = &agent.acp;
        [
            ("agent.idle_timeout", Some(agent.idle_timeout)),
            ("agent.permissions.timeout", Some(agent.permissions.timeout)),
            ("agent.openai.timeout", agent.openai.timeout),
            ("agent.anthropic.timeout", agent.anthropic.timeout),
            ("agent.letta.timeout", agent.letta.timeout),
            ("agent.acp.start_timeout", Some(acp.start_timeout)),
            ("agent.acp.first_byte_timeout", Some(acp.first_byte_timeout)),
            ("agent.acp.silence_timeout", Some(acp.silence_timeout)),
            ("agent.acp.total_timeout", Some(acp.total_timeout)),
            ("attachments.timeout", Some(attachments.timeout)),
            (
                "attachments.documents.timeout",
                Some(attachments.documents.timeout),
            ),
            (
                "attachments.descriptions.timeout",
                Some(attachments.descriptions.timeout),
            ),
            ("links.timeout", Some(links.timeout)),
            ("outbox.max_age", Some(outbox.max_age)),
            ("session.reset.idle", session.reset.idle),
        ]
    }
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    fn error(text: &str) -> Option<String> {
        let parsed = parse(text, Path::new("foldback.toml"));
        parsed.err().map(|error| error.to_string())
    }

    #[test]
    fn a_program_that_reads_links_is_named() {
        let error = error("[links]\nmode = \"program\"\n").unwrap_or_default();
        assert!(error.contains("links.command: must name the program"), "{error}");
    }

    #[test]
    fn a_time_a_size_or_a_path_that_is_none_is_refused_with_its_line() {
        for (table, key, value) in [
            ("agent", "idle_timeout", "0s"),
            ("agent.permissions", "timeout", "0s"),
            ("agent.openai", "timeout", "0ms"),
            ("agent.acp", "total_timeout", "0m"),
            ("attachments", "timeout", "0s"),
            ("attachments.documents", "timeout", "0s"),
            ("attachments.descriptions", "timeout", "0s"),
            ("attachments.descriptions", "max_size", "0MB"),
            ("links", "timeout", "0s"),
            ("links", "max_size", "0MB"),
            ("outbox", "max_age", "0s"),
            ("session.reset", "idle", "0s"),
            ("store", "max_size", "0MB"),
            ("store", "file", ""),
            ("files", "send_dir", ""),
        ] {
            let text = error(&format!("[{table}]\n{key} = \"{value}\"\n")).unwrap_or_default();
            let expected = format!("foldback.toml:2:1: {table}.{key}: must ");
            assert!(text.starts_with(&expected), "{table}.{key}: {text}");
        }
        for (table, key, value) in [
            ("documents", "max_chars", "0"),
            ("documents", "max_pages", "0"),
            ("documents", "pdf", "[\"\"]"),
            ("descriptions", "max_pictures", "0"),
            ("descriptions", "max_length", "0"),
        ] {
            let text = error(&format!("[attachments.{table}]\n{key} = {value}\n")).unwrap_or_default();
            let expected = format!("foldback.toml:2:1: attachments.{table}.{key}: must ");
            assert!(text.starts_with(&expected), "{table}.{key}: {text}");
        }
        for (key, value) in [
            ("context_tokens", "999"),
            ("compact_at", "0.0"),
            ("compact_at", "1.5"),
            ("compact_at", "nan"),
        ] {
            let text = error(&format!("[agent]\n{key} = {value}\n")).unwrap_or_default();
            let expected = format!("foldback.toml:2:1: agent.{key}: must be ");
            assert!(text.starts_with(&expected), "{key}: {text}");
        }
        assert_eq!(error("[store]\nkeep = \"0d\"\n"), None, "it keeps everything");
    }
}
