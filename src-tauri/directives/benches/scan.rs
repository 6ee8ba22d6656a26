//! What the scanner costs, against two others on the same text in the same run:
//! `cargo bench -p foldback-directives --bench scan`. The figures are explained in docs/performance.md.
//!
//! - (a) the scanner, its steps going to a sink that counts them;
//! - (b) what came before it: at every delta the whole reply so far is checked for what must be held and
//!   read with two regular expressions;
//! - (c) the least anyone can do: check that the bytes are UTF-8 and append them to a fresh string.

mod laps;

use std::hint::black_box;

use foldback_directives::{Scanner, Settings, Sink, Step};
use regex::Regex;

use laps::{CHUNKS, LAP, Laps, PROSE, ROUNDS, RUNS, append, cut, text_of};

/// Most deltas that (b) answers in one round. It keeps nothing from one delta to the next, so beyond that
/// evenly spread deltas stand for all of them.
const DELTAS: usize = 2_500;

const SIZES: [(usize, &str); 3] = [(10_000, "10 kB"), (100_000, "100 kB"), (1_000_000, "1 MB")];

const TAGS_AND_CODE: &str = r#"
## Reading the file

Write `<actions>` at the start; a `Vec<T>` of `<div class="row">` will not do, and if a < b then <br> is text.

```rust
fn read<T: FromStr>(line: &str) -> Option<T> {
    line.split('<').next()?.parse().ok() // "<react emoji='x'/>" in here is code
}
```

<ul><li>First: <b>open</b> it.</li><li>Then <em>close</em> it with ``</actions>``.</li></ul>
| name | type |
| --- | --- |
| `path` | `Option<PathBuf>` |

"#;

/// Half of the bytes are directives: more than any agent writes.
const DIRECTIVES: &str = r#"<actions>
  <react emoji="👍" />
  <send-file path="reports/week-47.pdf" caption="The report" />
</actions>
Here is the report you asked for. The numbers of the north are in it; those of the south follow on Monday.
<actions><react emoji="eyes" message="1042"/></actions> I will look into the second question too, but it may
take until the evening: half of the archive is still on paper.
<actions>
  <voice>Good evening! The numbers are in.</voice>
  <send-message channel="slack" chat="C024BE91L">Done &amp; sent</send-message>
</actions>
The others meet at ten past nine — in Zürich.
"#;

/// Nearly nothing else: four fifths.
const LITTLE_ELSE: &str = r#"<actions>
  <react emoji="👍" />
  <send-file path="reports/week-47.pdf" caption="The report" />
</actions>
Here is the report you asked for.
<actions><react emoji="eyes" message="1042"/></actions> I will look into the second question too.
<actions>
  <voice>Good evening! The numbers are in.</voice>
  <send-message channel="slack" chat="C024BE91L">Done &amp; sent</send-message>
</actions>
"#;

fn main() {
    println!("(a) the scanner, (b) two regular expressions on the whole reply at every delta,");
    println!("(c) UTF-8 validation and append. {ROUNDS} rounds in turns; the least of each.");
    println!();
    println!("| text | size | chunks | (a) ns/byte | (a) ÷ (c) | (b) ÷ (a) |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: |");
    let rival = Rival::new();
    let texts = [
        ("prose", PROSE),
        ("tags and code", TAGS_AND_CODE),
        ("directives", DIRECTIVES),
        ("little else", LITTLE_ELSE),
    ];
    for (name, pattern) in texts {
        for (size, size_name) in SIZES {
            let text = text_of(pattern, size);
            for (chunk, chunk_name) in CHUNKS {
                let deltas = cut(&text, chunk);
                println!(
                    "| {name} | {size_name} | {chunk_name} | {} |",
                    compare(&text, &deltas, &rival)
                );
            }
        }
    }
    println!();
    println!("* {DELTAS} evenly spread deltas of all, extrapolated.");
}

/// The three on one text: a row of the table.
fn compare(text: &str, deltas: &[&str], rival: &Rival) -> String {
    let stride = deltas.len().div_ceil(DELTAS);
    let ends: Vec<usize> = deltas
        .iter()
        .scan(0, |end, delta| {
            *end += delta.len();
            Some(*end)
        })
        .skip(stride / 2)
        .step_by(stride)
        .collect();
    let all = deltas.len() as f64 / ends.len() as f64;
    let (mut a, mut b, mut c) = (Laps::new(), Laps::new(), Laps::new());
    let per_lap = LAP.div_ceil(deltas[0].len());
    for _ in 0..ROUNDS {
        for _ in 0..RUNS {
            scan(deltas, per_lap, &mut a);
        }
        b.start();
        for end in &ends {
            black_box(rival.at_delta(black_box(&text[..*end])));
            b.lap();
        }
        for _ in 0..RUNS {
            append(deltas, per_lap, &mut c);
        }
    }
    let (a, b, c) = (a.least(), b.least() * all, c.least());
    let sampled = if stride > 1 { " *" } else { "" };
    let per_byte = a * 1e9 / text.len() as f64;
    format!("{per_byte:.2} | {:.1} | {:.1}{sampled}", a / c, b / a)
}

/// (a)
fn scan(deltas: &[&str], per_lap: usize, laps: &mut Laps) {
    laps.start();
    let mut count = Count::default();
    let mut scanner = Scanner::new(&Settings::default(), None);
    for part in deltas.chunks(per_lap) {
        for delta in part {
            scanner.push(black_box(delta), &mut count);
        }
        laps.lap();
    }
    scanner.finish(&mut count);
    laps.lap();
    assert!(count.ranges > 0, "the scanner decided something");
    black_box(count);
}

#[derive(Default)]
struct Count {
    shown: usize,
    ranges: usize,
    directives: usize,
    findings: usize,
    holds: usize,
}

impl Sink for Count {
    fn step(&mut self, step: Step<'_>) {
        match step {
            Step::Show { text, .. } => {
                self.shown += text.len();
                self.ranges += 1;
            }
            Step::Directive(_) | Step::Action(_) => self.directives += 1,
            Step::Diagnostic(_) => self.findings += 1,
            Step::Hold(_) => self.holds += 1,
            _ => self.ranges += 1,
        }
    }
}

/// (b)
struct Rival {
    block: Regex,
    child: Regex,
}

impl Rival {
    fn new() -> Self {
        let compile = |pattern| Regex::new(pattern).unwrap_or_else(|error| panic!("{error}"));
        Self {
            block: compile(r"^\s*<actions>([\s\S]*?)</actions>"),
            child: compile(r#"<(react)\s+((?:[a-zA-Z-]+="[^"]*"\s*)+)\s*/>"#),
        }
    }

    /// What is done when a delta has arrived: how much is shown, unless it is held, and how many
    /// directives there are.
    fn at_delta(&self, reply: &str) -> (Option<usize>, usize) {
        let shown = self
            .block
            .find(reply)
            .map_or(reply, |block| &reply[block.end()..]);
        let children = self.child.find_iter(reply).count();
        ((!Self::is_held(reply)).then(|| shown.trim().len()), children)
    }

    /// The marker may still come, a wrapper's tag may be cut, or a block is open.
    fn is_held(reply: &str) -> bool {
        if "<no-reply/>".starts_with(reply.trim()) {
            return true;
        }
        let cut = reply
            .rfind('<')
            .filter(|open| reply.rfind('>').is_none_or(|close| close < *open))
            .is_some_and(|open| {
                let tail = &reply[open..];
                "<actions>".starts_with(tail) || "</actions>".starts_with(tail)
            });
        cut || reply
            .rfind("<actions>")
            .is_some_and(|open| reply.rfind("</actions>").is_none_or(|close| close < open))
    }
}
