//! What redaction costs, against the scanner alone on the same text in the same run:
//! `cargo bench -p foldback-directives --bench redact`. The figures are explained in docs/performance.md.
//!
//! - (a) the scanner and redaction after it, as every answer is read;
//! - (b) the scanner alone;
//! - (c) redaction alone, of text that is no assistant message;
//! - (d) the least anyone can do: check that the bytes are UTF-8 and append them to a fresh string.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use foldback_directives::{
    Scanner, Settings, Sink, Step,
    redact::{MASK, Patterns, Reader, RedactSettings, TextRedactor},
};

/// How many turns each contender gets, so that a busy moment of the machine meets all of them.
const ROUNDS: usize = 15;

/// How often each reads the text in one turn.
const RUNS: usize = 4;

/// The bytes between two looks at the clock.
const LAP: usize = 50_000;

const SIZES: [(usize, &str); 2] = [(10_000, "10 kB"), (1_000_000, "1 MB")];
const CHUNKS: [(usize, &str); 2] = [(4, "4 B"), (4_096, "4 KiB")];

const PROSE: &str = "\
The night train leaves at ten past nine and gets in before breakfast, so you lose no day over it. I would \
book the seat by the window: after the second tunnel the line follows the lake for almost an hour.

If you want to save money, take the early one instead. It's slower, and you change in Zürich, but the café \
at the station opens at six — and with the pass it costs 20 % less. Shall I look whether there are seats \
left on Friday? A > B, as they say: cheaper is better.

";

const ADDRESSES: &str = r#"
2026-11-21T09:14:07.318Z INFO  request id=550e8400-e29b-41d4-a716-446655440000 took 1284 ms
commit e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 (HEAD -> main, tag: v1.20.3)
| [docs](https://docs.example.org/en/latest/setup.html#token) | `sha256:e3b0c44298fc1c149afbf4c8996fb924` |
let token = std::env::var("SERVICE_TOKEN")?; // see https://example.org/a/b?page=2&lang=de
call +49 30 1234567, or write to ada@example.org
"#;

const SECRETS: &str = r#"
export OPENAI_API_KEY=sk-proj-Abc123Abc123Abc123Abc123Abc123
git clone https://ada:ghp_abcdefghijklmnopqrstuvwxyz0123456789@github.com/ada/it.git
{"password": "hunter2!", "aws": "AKIAIOSFODNN7EXAMPLE", "n": 1}
Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl
"#;

fn main() {
    println!(
        "(a) scanner and redaction, (b) the scanner alone, (c) redaction alone, (d) UTF-8 validation and"
    );
    println!("append. {ROUNDS} rounds in turns; the least of each.");
    println!();
    println!("| text | size | chunks | (a) ns/byte | (a) ÷ (b) | (c) MB/s | (c) ÷ (d) |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let patterns = Patterns::new(&RedactSettings::default());
    for (name, pattern) in [("prose", PROSE), ("addresses", ADDRESSES), ("secrets", SECRETS)] {
        for (size, size_name) in SIZES {
            let text = text_of(pattern, size);
            assert_eq!(
                patterns.redact(&text).contains(MASK),
                name == "secrets",
                "the text is what its name says"
            );
            for (chunk, chunk_name) in CHUNKS {
                let row = compare(&text, &cut(&text, chunk), &patterns);
                println!("| {name} | {size_name} | {chunk_name} | {row} |");
            }
        }
    }
}

fn text_of(pattern: &str, size: usize) -> String {
    let mut text = pattern.repeat(size / pattern.len() + 1);
    text.truncate(text.floor_char_boundary(size));
    text
}

fn cut(text: &str, longest: usize) -> Vec<&str> {
    let (mut rest, mut deltas) = (text, Vec::new());
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(longest));
        deltas.push(delta);
        rest = after;
    }
    deltas
}

/// The four on one text: a row of the table.
fn compare(text: &str, deltas: &[&str], patterns: &Arc<Patterns>) -> String {
    let mut laps = [(); 4].map(|()| Laps::default());
    let [a, b, c, d] = &mut laps;
    let per_lap = LAP.div_ceil(deltas[0].len());
    let parts = || deltas.chunks(per_lap);
    for _ in 0..ROUNDS {
        for _ in 0..RUNS {
            read(parts(), Some(patterns), a);
        }
        for _ in 0..RUNS {
            read(parts(), None, b);
        }
        for _ in 0..RUNS {
            redact(parts(), patterns, c);
        }
        for _ in 0..RUNS {
            append(parts(), d);
        }
    }
    let [a, b, c, d] = laps.map(|laps| laps.least());
    let bytes = text.len() as f64;
    format!(
        "{:.2} | {:.2} | {:.0} | {:.1}",
        a * 1e9 / bytes,
        a / b,
        bytes / c / 1e6,
        c / d
    )
}

/// The least time of every lap, whichever run it was in: what other programs took in a longer one is not
/// the contender's.
struct Laps {
    least: Vec<f64>,
    lap: usize,
    begin: Instant,
}

impl Default for Laps {
    fn default() -> Self {
        Self {
            least: Vec::new(),
            lap: 0,
            begin: Instant::now(),
        }
    }
}

impl Laps {
    fn start(&mut self) {
        self.lap = 0;
        self.begin = Instant::now();
    }

    fn lap(&mut self) {
        let time = self.begin.elapsed().as_secs_f64();
        match self.least.get_mut(self.lap) {
            Some(least) => *least = least.min(time),
            None => self.least.push(time),
        }
        self.lap += 1;
        self.begin = Instant::now();
    }

    /// Seconds of one run.
    fn least(&self) -> f64 {
        self.least.iter().sum()
    }
}

/// (a) and (b)
fn read<'a>(parts: impl Iterator<Item = &'a [&'a str]>, patterns: Option<&Arc<Patterns>>, laps: &mut Laps) {
    laps.start();
    let mut count = Count::default();
    let mut reader = Reader::new(Scanner::new(&Settings::default(), None), patterns);
    for part in parts {
        for delta in part {
            reader.push(black_box(delta), &mut count);
        }
        laps.lap();
    }
    reader.finish(&mut count);
    laps.lap();
    assert!(count.shown > 0, "something was shown");
    black_box(count);
}

#[derive(Default)]
struct Count {
    shown: usize,
    masked: usize,
    other: usize,
}

impl Sink for Count {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Show { text, .. } => self.shown += text.len(),
            Step::Mask { span, .. } => self.masked += span.len(),
            _ => self.other += 1,
        }
    }
}

/// (c)
fn redact<'a>(parts: impl Iterator<Item = &'a [&'a str]>, patterns: &Arc<Patterns>, laps: &mut Laps) {
    laps.start();
    let mut text = String::new();
    let mut stream = TextRedactor::new(patterns);
    for part in parts {
        for delta in part {
            text.push_str(&stream.push(black_box(delta)));
        }
        laps.lap();
    }
    text.push_str(&stream.finish());
    black_box(text);
    laps.lap();
}

/// (d)
fn append<'a>(parts: impl Iterator<Item = &'a [&'a str]>, laps: &mut Laps) {
    laps.start();
    let mut text = String::new();
    for part in parts {
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
