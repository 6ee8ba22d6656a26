//! Vectors, cuts, and the form in which outcomes are compared.
use foldback_directives::{Collect, Parsed, Scanner, Settings};
use serde_json::{Map, Value};

pub(crate) struct Vector {
    /// Its id, and its name where it has one.
    pub(crate) id: String,
    pub(crate) input: String,
    pub(crate) settings: Settings,
    pub(crate) inbound: Option<String>,
    pub(crate) rules: Vec<String>,
    pub(crate) expect: Value,
}

/// The vectors of a file in `fixtures/vectors`.
pub(crate) fn vectors(file: &str) -> Vec<Vector> {
    let path = format!("{}/../../fixtures/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.lines().filter(|line| !line.is_empty()).map(vector).collect()
}

fn vector(line: &str) -> Vector {
    let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let settings = value
        .get("settings")
        .cloned()
        .unwrap_or(Value::Object(Map::new()));
    let rules = value.get("rules").and_then(Value::as_array).into_iter().flatten();
    Vector {
        id: [text("id"), text("name")]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
        input: text("input").unwrap_or_default(),
        settings: serde_json::from_value(settings).unwrap_or_else(|error| panic!("{line}: {error}")),
        inbound: text("inbound"),
        rules: rules.filter_map(Value::as_str).map(str::to_owned).collect(),
        expect: value.get("expect").cloned().unwrap_or(Value::Null),
    }
}

/// What vectors compare: no spans, diagnostics as the set of their codes.
pub(crate) fn outcome(parsed: &Parsed) -> Value {
    let mut value = serde_json::to_value(parsed).unwrap_or(Value::Null);
    let codes: std::collections::BTreeSet<&str> = parsed.diagnostics.iter().map(|d| d.code.code()).collect();
    value["diagnostics"] = codes.into_iter().collect();
    for list in ["directives", "actions"] {
        for item in value[list].as_array_mut().into_iter().flatten() {
            item.as_object_mut().map(|item| item.remove("span"));
        }
    }
    value
}

/// One character at a time, and `random` seeded cuts.
pub(crate) fn cuts(text: &str, random: u64) -> Vec<Vec<&str>> {
    let one = text
        .char_indices()
        .map(|(at, c)| &text[at..at + c.len_utf8()])
        .collect();
    let mut all = vec![one];
    all.extend((1..=random).map(|seed| cut(text, seed)));
    all
}

/// A pseudo-random cut on character boundaries.
pub(crate) fn cut(text: &str, seed: u64) -> Vec<&str> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < text.len() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let longest = if seed.is_multiple_of(2) { 4 } else { 24 };
        let end = text.ceil_char_boundary((start + 1 + (state % longest) as usize).min(text.len()));
        chunks.push(&text[start..end]);
        start = end;
    }
    chunks
}

/// Reads a message in these chunks.
pub(crate) fn in_chunks(chunks: &[&str], settings: &Settings, inbound: Option<&str>) -> Parsed {
    let mut collect = Collect::default();
    let mut scanner = Scanner::new(settings, inbound);
    for chunk in chunks {
        scanner.push(chunk, &mut collect);
    }
    scanner.finish(&mut collect);
    collect.into_parsed()
}
