//! The line about tokens under an answer, as `/usage` of its session has it.

use crate::user_text::UserText;
use foldback_wire::{Body, Event, Kind, SessionId, Usage, UsageLine};

/// The line under an answer, until it stands there.
#[derive(Debug, Clone)]
pub(crate) struct Footer {
    /// The session, where the line names it.
    session: Option<SessionId>,
    used: Usage,
}

impl Footer {
    /// The line of this session; `None` where it has none.
    pub(crate) fn of(line: Option<UsageLine>, session: &SessionId) -> Option<Self> {
        let with_session = match line? {
            UsageLine::Off => return None,
            UsageLine::Tokens => false,
            UsageLine::Full => true,
        };
        Some(Self {
            session: with_session.then(|| session.clone()),
            used: Usage::default(),
        })
    }

    /// The line of a turn that an earlier process began, out of its events; `None` where it stands there already, or may.
    pub(crate) fn read(session: &SessionId, events: &[Event]) -> Option<Self> {
        let set = events.iter().rev().find_map(|event| match &event.kind {
            Kind::SettingsResolved { settings } => settings.iter().find(|set| set.setting == "usage"),
            _ => None,
        })?;
        let mut footer = Self::of(UsageLine::from_code(&set.value), session)?;
        for event in events {
            if let Kind::Used { usage } = &event.kind {
                footer.count(*usage);
            }
        }
        let line = footer.text()?;
        let has_line = |event: &Event| match &event.kind {
            Kind::Intended { intent, .. } => match &intent.body {
                Some(Body::Literal { text, .. } | Body::Aside { text }) => text.ends_with(&line),
                _ => false,
            },
            _ => false,
        };
        (!events.iter().any(has_line)).then_some(footer)
    }

    /// Counts tokens of the run.
    pub(super) const fn count(&mut self, usage: Usage) {
        self.used.input = self.used.input.saturating_add(usage.input);
        self.used.output = self.used.output.saturating_add(usage.output);
    }

    /// The line; `None` while the backend has told of no tokens.
    pub(super) fn text(&self) -> Option<String> {
        let Usage { input, output } = self.used;
        let text = UserText::TokensUsed {
            input,
            output,
            session: self.session.as_ref().map(SessionId::as_str),
        };
        (input.saturating_add(output) > 0).then(|| text.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_no_number_holds_stays_at_the_largest() {
        let mut footer = Footer::of(Some(UsageLine::Tokens), &SessionId::new("s")).unwrap();
        for _ in 0..2 {
            footer.count(Usage {
                input: u64::MAX,
                output: 1,
            });
        }
        let line = footer.text().unwrap();
        assert!(line.contains(&u64::MAX.to_string()), "{line}");
    }
}
