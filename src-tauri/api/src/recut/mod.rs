//! The re-cut fuzzer: does any way to cut an output into chunks change what the user sees?
//!
//! What the output comes to in one piece is the yardstick: the grammar promises the same for every cut (I1),
//! that what was shown is never taken back (I3) and that no byte of a directive is shown, not even for one
//! frame (I4). A text of up to 13 characters is cut in every way there is; of a longer one the families of
//! [`CutFamily`] are tried, about 4,096 cuts in all. A cut that changes something is made smaller until no
//! place of it can be left out.

mod plan;
mod screen;
mod shrink;

pub use plan::Plan;
pub use screen::Screen;

use foldback_directives::{Parsed, Scanner, redact::Reader};
use foldback_wire::rpc::{Aspect, CutFamily, RecutFailure, RecutResult};

/// Reads one output chunk by chunk. [`Reader`] is what the bot reads with, [`Scanner`] the same without
/// redaction; tests have others, which depend on the cut.
pub trait Reading {
    /// Reads the next chunk and tells the screen everything that is now decided.
    fn push(&mut self, chunk: &str, screen: &mut Screen<'_>);
    /// Ends the message.
    fn finish(self, screen: &mut Screen<'_>);
}

impl Reading for Scanner {
    fn push(&mut self, chunk: &str, screen: &mut Screen<'_>) {
        Self::push(self, chunk, screen);
    }

    fn finish(self, screen: &mut Screen<'_>) {
        Self::finish(self, screen);
    }
}

impl Reading for Reader {
    fn push(&mut self, chunk: &str, screen: &mut Screen<'_>) {
        Self::push(self, chunk, screen);
    }

    fn finish(self, screen: &mut Screen<'_>) {
        Self::finish(self, screen);
    }
}

/// Tries every cut of the plan, each with a new reading, until one changes something. `go_on` is told how many
/// were tried, and stops the run by answering false.
pub fn recut<R: Reading>(
    plan: &Plan<'_>,
    begin: &impl Fn() -> R,
    mut go_on: impl FnMut(u64) -> bool,
) -> RecutResult {
    let raw = plan.raw();
    let whole = read(raw, &[], begin, None).parsed;
    let mut cut = Vec::new();
    let mut tried = 0;
    for (family, index) in plan.cuts() {
        if !go_on(tried) {
            return ended(tried, true, None);
        }
        plan.cut(family, index, &mut cut);
        tried += 1;
        if read(raw, &cut, begin, Some(&whole)).differs(&whole).is_empty() {
            continue;
        }
        let smallest = shrink::smallest(cut, plan.affordable(), |fewer| {
            go_on(tried) && !read(raw, fewer, begin, Some(&whole)).differs(&whole).is_empty()
        });
        let failure = failure(family, raw, smallest, begin, whole);
        return ended(tried, false, Some(failure));
    }
    ended(tried, false, None)
}

const fn ended(cuts: u64, cancelled: bool, failure: Option<RecutFailure>) -> RecutResult {
    RecutResult {
        cuts,
        cancelled,
        failure,
    }
}

fn failure<R: Reading>(
    family: CutFamily,
    raw: &str,
    cut: Vec<usize>,
    begin: &impl Fn() -> R,
    whole: Parsed,
) -> RecutFailure {
    let read = read(raw, &cut, begin, Some(&whole));
    RecutFailure {
        family,
        differs: read.differs(&whole),
        parsed: read.parsed,
        released: read.released,
        leaked: read.leaked,
        cut,
        whole,
    }
}

/// What a reading came to.
struct Read {
    parsed: Parsed,
    /// What each chunk added to the screen, and the end.
    released: Vec<String>,
    /// Whether the screen ever showed anything but a beginning of the clean text.
    strayed: bool,
    leaked: Vec<foldback_wire::Span>,
}

impl Read {
    fn differs(&self, whole: &Parsed) -> Vec<Aspect> {
        let mut differs = Vec::new();
        if !self.leaked.is_empty() {
            differs.push(Aspect::Leak);
        }
        if self.strayed {
            differs.push(Aspect::Released);
        }
        differs.extend(differences(whole, &self.parsed));
        differs
    }
}

fn read<R: Reading>(raw: &str, cut: &[usize], begin: &impl Fn() -> R, whole: Option<&Parsed>) -> Read {
    let mut screen = Screen::new(whole);
    let mut reading = begin();
    let mut from = 0;
    for end in cut.iter().copied().chain([raw.len()]) {
        reading.push(&raw[from..end], &mut screen);
        screen.next_chunk();
        from = end;
    }
    reading.finish(&mut screen);
    screen.into_read()
}

/// In what two results differ, as far as results tell.
pub fn differences(a: &Parsed, b: &Parsed) -> Vec<Aspect> {
    let aspects = [
        (Aspect::CleanText, a.clean_text == b.clean_text),
        (Aspect::Directives, a.directives == b.directives),
        (Aspect::Header, a.header == b.header),
        (Aspect::Actions, a.actions == b.actions),
        (Aspect::Diagnostics, a.diagnostics == b.diagnostics),
        (Aspect::Suppressed, a.suppressed == b.suppressed),
        (Aspect::Ranges, a.ranges == b.ranges),
    ];
    let differing = aspects.into_iter().filter(|(_, same)| !same);
    differing.map(|(aspect, _)| aspect).collect()
}
