//! How the benches measure: texts of a size, cut into deltas, and the least time of every lap.

use std::hint::black_box;
use std::time::Instant;

/// How many turns each contender gets, so that a busy moment of the machine meets all of them.
pub(crate) const ROUNDS: usize = 15;

/// How often contenders that are quick read the text in one turn.
pub(crate) const RUNS: usize = 4;

/// The bytes between two looks at the clock.
pub(crate) const LAP: usize = 50_000;

/// How much of a text comes at once, in bytes.
pub(crate) const CHUNKS: [(usize, &str); 2] = [(4, "4 B"), (4_096, "4 KiB")];

pub(crate) const PROSE: &str = "\
The night train leaves at ten past nine and gets in before breakfast, so you lose no day over it. I would \
book the seat by the window: after the second tunnel the line follows the lake for almost an hour.

If you want to save money, take the early one instead. It's slower, and you change in Zürich, but the café \
at the station opens at six — and with the pass it costs 20 % less. Shall I look whether there are seats \
left on Friday? A > B, as they say: cheaper is better.

";

/// The pattern, as often as it takes.
pub(crate) fn text_of(pattern: &str, size: usize) -> String {
    let mut text = pattern.repeat(size / pattern.len() + 1);
    text.truncate(text.floor_char_boundary(size));
    text
}

/// Pieces of so many bytes, or a little more: no character is cut.
pub(crate) fn cut(text: &str, longest: usize) -> Vec<&str> {
    let (mut rest, mut deltas) = (text, Vec::new());
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(longest));
        deltas.push(delta);
        rest = after;
    }
    deltas
}

/// The least time of every lap, whichever run it was in: what other programs took in a longer one is not
/// the contender's.
pub(crate) struct Laps {
    least: Vec<f64>,
    lap: usize,
    begin: Instant,
}

impl Laps {
    pub(crate) fn new() -> Self {
        Self {
            least: Vec::new(),
            lap: 0,
            begin: Instant::now(),
        }
    }

    pub(crate) fn start(&mut self) {
        self.lap = 0;
        self.begin = Instant::now();
    }

    pub(crate) fn lap(&mut self) {
        let time = self.begin.elapsed().as_secs_f64();
        match self.least.get_mut(self.lap) {
            Some(least) => *least = least.min(time),
            None => self.least.push(time),
        }
        self.lap += 1;
        self.begin = Instant::now();
    }

    /// Seconds of one run.
    pub(crate) fn least(&self) -> f64 {
        self.least.iter().sum()
    }
}

/// The least anyone can do: check that the bytes are UTF-8 and append them to a fresh string.
pub(crate) fn append(deltas: &[&str], per_lap: usize, laps: &mut Laps) {
    laps.start();
    let mut text = String::new();
    for part in deltas.chunks(per_lap) {
        for delta in part {
            match std::str::from_utf8(black_box(delta.as_bytes())) {
                Ok(valid) => text.push_str(valid),
                Err(error) => panic!("{error}"),
            }
        }
        laps.lap();
    }
    black_box(text);
    laps.lap();
}
