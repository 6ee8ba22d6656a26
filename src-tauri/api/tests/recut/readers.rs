//! Readers with the defects that the scanner must not have.

use foldback_api::recut::{Reading, Screen};
use foldback_directives::{Hold, Scanner, Settings, Sink, Step};

/// Takes each chunk for a message of its own, as a filter on the transport would.
#[derive(Default)]
pub(crate) struct Alone;

impl Reading for Alone {
    fn push(&mut self, chunk: &str, screen: &mut Screen<'_>) {
        let mut scanner = Scanner::new(&Settings::default(), None);
        Scanner::push(&mut scanner, chunk, screen);
        Scanner::finish(scanner, screen);
    }

    fn finish(self, _: &mut Screen<'_>) {}
}

/// Shows at the end of each chunk what should be held, as a bot without hold rules would.
pub(crate) struct Impatient {
    scanner: Scanner,
    raw: String,
}

impl Impatient {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            scanner: Scanner::new(settings, None),
            raw: String::new(),
        }
    }
}

impl Reading for Impatient {
    fn push(&mut self, chunk: &str, screen: &mut Screen<'_>) {
        self.raw.push_str(chunk);
        let mut listener = Listener { screen, hold: None };
        self.scanner.push(chunk, &mut listener);
        if let Some(Hold { span, .. }) = listener.hold {
            let text = &self.raw[span.start..span.end];
            screen.step(Step::Show {
                span,
                text,
                joined: false,
            });
        }
    }

    fn finish(self, screen: &mut Screen<'_>) {
        Scanner::finish(self.scanner, screen);
    }
}

struct Listener<'a, 'b> {
    screen: &'a mut Screen<'b>,
    hold: Option<Hold>,
}

impl Sink for Listener<'_, '_> {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Hold(hold) = step {
            self.hold = hold.copied();
        }
        self.screen.step(step);
    }
}

/// Loses its place when a hold outlasts a whole chunk.
pub(crate) struct Forgetful {
    scanner: Option<Scanner>,
    settings: Settings,
    held: u32,
}

impl Forgetful {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            scanner: Some(Scanner::new(settings, None)),
            settings: settings.clone(),
            held: 0,
        }
    }
}

impl Reading for Forgetful {
    fn push(&mut self, chunk: &str, screen: &mut Screen<'_>) {
        let mut listener = Listener { screen, hold: None };
        let Some(scanner) = &mut self.scanner else { return };
        scanner.push(chunk, &mut listener);
        let holds = listener
            .hold
            .is_some_and(|hold| hold.reason == foldback_directives::HoldReason::PartialTag);
        self.held = if holds { self.held + 1 } else { 0 };
        if self.held == 2 {
            self.held = 0;
            let lost = self.scanner.replace(Scanner::new(&self.settings, None));
            if let Some(lost) = lost {
                Scanner::finish(lost, screen);
            }
        }
    }

    fn finish(self, screen: &mut Screen<'_>) {
        if let Some(scanner) = self.scanner {
            Scanner::finish(scanner, screen);
        }
    }
}
