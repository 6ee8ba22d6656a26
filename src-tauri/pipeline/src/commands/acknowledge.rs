//! The acknowledgement of directives that were stored on a session.

use crate::{level_settings::ConfiguredLevels, queue_settings::QueueSettings};
use foldback_directives::inbound::{Directives, TABLE};
use foldback_store::SessionSettings;
use std::collections::BTreeMap;

/// One sentence for each directive: its value as it counts now. A question names the other values, too.
pub(super) fn acknowledge(
    directives: &Directives,
    now: &SessionSettings,
    (queue, levels): (&QueueSettings, ConfiguredLevels),
    status: Option<&str>,
) -> String {
    let values: BTreeMap<_, _> = now.written().into_iter().collect();
    let mut lines = Vec::new();
    for (name, value) in directives.written() {
        if name == "status" {
            continue;
        }
        let part = format!("{name}.");
        let is_of = |known: &str| known == name || known.starts_with(&part);
        let set: Vec<_> = values.iter().filter(|(known, _)| is_of(known)).collect();
        let now = match set.as_slice() {
            // Where each of its values comes from matters to whoever waits.
            _ if name == "queue" => queue.in_words(),
            [] => configured(levels, name),
            [(known, value)] if **known == name => (*value).clone(),
            several => {
                let parts = several.iter().map(|(known, value)| {
                    let part = known.split_once('.').map_or(**known, |(_, part)| part);
                    format!("{part} {value}")
                });
                parts.collect::<Vec<_>>().join(", ")
            }
        };
        let asks = value.is_empty();
        let example = TABLE.iter().find(|row| row.name == name).filter(|_| asks);
        let hint = example.map_or_else(String::new, |row| format!(" To change it: {}", row.example));
        lines.push(format!("⚙️ {}: {now}.{hint}", title(name)));
    }
    lines.extend(status.map(str::to_owned));
    lines.join("\n")
}

/// The level that counts where none is stored.
fn configured(levels: ConfiguredLevels, name: &str) -> String {
    let mut levels = levels.effective().into_iter();
    let level = levels.find(|level| level.setting == name);
    level.map_or_else(
        || "default".to_owned(),
        |level| format!("{} ({})", level.value, level.source),
    )
}

fn title(name: &str) -> String {
    let mut signs = name.chars();
    signs
        .next()
        .map(|first| first.to_uppercase().chain(signs).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::parse as parse_config, session_settings::apply};
    use foldback_directives::inbound::{Queue, Settings, parse};

    fn told(text: &str) -> String {
        told_with(text, "")
    }

    fn told_with(text: &str, config: &str) -> String {
        let directives = parse(text, &Settings::authorized()).directives;
        let mut now = SessionSettings::default();
        apply(&mut now, &directives);
        let config = parse_config(config, std::path::Path::new("f")).unwrap();
        let slack = "slack".into();
        let queue = QueueSettings::resolve(&config, &slack, &now.queue, &Queue::default());
        let levels = ConfiguredLevels::of(&config, &slack);
        acknowledge(&directives, &now, (&queue, levels), None)
    }

    #[test]
    fn each_directive_is_told_with_the_value_that_counts_now() {
        assert_eq!(
            told("/think high /verbose on"),
            "⚙️ Think: high.\n⚙️ Verbose: on."
        );
        assert_eq!(
            told("/exec ask=always security=deny"),
            "⚙️ Exec: ask always, security deny."
        );
        assert_eq!(
            told("/queue collect cap:3"),
            "⚙️ Queue: mode collect (session), debounce 0.5 seconds (default), cap 3 (session), drop summarize (default)."
        );
        assert_eq!(told("/think"), "⚙️ Think: default. To change it: /think high");
        assert_eq!(
            told_with("/think", "[agent.defaults]\nthink = \"low\"\n"),
            "⚙️ Think: low (global). To change it: /think high"
        );
    }
}
