//! Directives as a person would write them, in the canonical words: for the journal and for acknowledgements.

use super::{
    set::{Directives, Exec, Level, Model, Queue},
    words::{Elevated, Reasoning, Think, Verbose},
};

impl Directives {
    /// Each directive by its name with its canonical value, in the order of the table. The value of a question is empty.
    pub fn written(&self) -> Vec<(&'static str, String)> {
        let values = [
            ("think", self.think.map(|level| word(level, Think::code))),
            ("verbose", self.verbose.map(|level| word(level, Verbose::code))),
            (
                "reasoning",
                self.reasoning.map(|level| word(level, Reasoning::code)),
            ),
            ("elevated", self.elevated.map(|level| word(level, Elevated::code))),
            ("exec", self.exec.as_ref().map(Exec::written)),
            ("status", self.status.map(|_| String::new())),
            ("model", self.model.as_ref().map(Model::written)),
            ("queue", self.queue.as_ref().map(Queue::written)),
        ];
        let given = values.into_iter();
        given
            .filter_map(|(name, value)| value.map(|value| (name, value)))
            .collect()
    }
}

fn word<T: Copy>(level: Level<T>, code: impl Fn(T) -> &'static str) -> String {
    level.level.map(code).unwrap_or_default().to_owned()
}

impl Exec {
    /// What is set, as `host=gateway ask=off`; empty where nothing is.
    pub fn written(&self) -> String {
        let parts = [
            self.host.map(|host| format!("host={host}")),
            self.security.map(|security| format!("security={security}")),
            self.ask.map(|ask| format!("ask={ask}")),
            self.node.as_ref().map(|node| format!("node={node}")),
        ];
        joined(parts)
    }
}

impl Model {
    /// The model with its profile, as `provider/model@profile`; empty where it is asked for.
    pub fn written(&self) -> String {
        let model = self.model.clone().unwrap_or_default();
        match &self.profile {
            Some(profile) => format!("{model}@{profile}"),
            None => model,
        }
    }
}

impl Queue {
    /// What is set, as `collect debounce:2000ms cap:5 drop:old`; empty where nothing is.
    pub fn written(&self) -> String {
        let parts = [
            self.mode.map(|mode| mode.to_string()),
            self.debounce_ms.map(|ms| format!("debounce:{ms}ms")),
            self.cap.map(|cap| format!("cap:{cap}")),
            self.drop.map(|drop| format!("drop:{drop}")),
            self.reset.then(|| "reset".to_owned()),
        ];
        joined(parts)
    }
}

fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use crate::inbound::{Settings, parse};

    #[test]
    fn a_directive_is_written_in_canonical_words_and_reads_the_same_again() {
        let text = "/t hi /v yes /reason hide /elev auto /exec host:gateway ask=off /model a/b@work \
                    /queue coalesce debounce:2s cap:5 drop:oldest";
        let read = parse(&text.replace("/t hi", "/t high"), &Settings::authorized()).directives;
        let written = read.written();
        let all: Vec<String> = written
            .iter()
            .map(|(name, value)| format!("/{name} {value}"))
            .collect();
        assert_eq!(
            all.join(" "),
            "/think high /verbose on /reasoning off /elevated full /exec host=gateway ask=off \
             /model a/b@work /queue collect debounce:2000ms cap:5 drop:old"
        );
        assert_eq!(parse(&all.join(" "), &Settings::authorized()).directives, read);
    }

    #[test]
    fn a_question_has_no_value() {
        let read = parse("/think /status", &Settings::authorized()).directives;
        assert_eq!(
            read.written(),
            [("think", String::new()), ("status", String::new())]
        );
    }
}
