//! What redaction costs, against the scanner alone on the same text in the same run:
//! `cargo bench -p foldback-directives --bench redact`. The figures are explained in docs/performance.md.
//!
//! - (a) the scanner and redaction after it, as every answer is read;
//! - (b) the scanner alone;
//! - (c) redaction alone, of text that is no assistant message;
//! - (d) the least anyone can do: check that the bytes are UTF-8 and append them to a fresh string.

mod laps;

use std::hint::black_box;
use std::sync::Arc;

use foldback_directives::{
    Scanner, Settings, Sink, Step,
    redact::{MASK, Patterns, Reader, RedactSettings, TextRedactor},
};

use laps::{CHUNKS, LAP, Laps, PROSE, ROUNDS, RUNS, append, cut, text_of};

const SIZES: [(usize, &str); 2] = [(10_000, "10 kB"), (1_000_000, "1 MB")];

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

/// The four on one text: a row of the table.
fn compare(text: &str, deltas: &[&str], patterns: &Arc<Patterns>) -> String {
    let mut laps = [(); 4].map(|()| Laps::new());
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
            append(deltas, per_lap, d);
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
