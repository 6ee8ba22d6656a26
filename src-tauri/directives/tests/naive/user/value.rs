//! The names and values of the page's table.

use std::sync::LazyLock;

use foldback_directives::inbound::Settings;
use regex::Regex;
use serde_json::{Value, json};

/// What a word is to a directive.
pub(super) enum Fit {
    /// What it sets, and how many bytes of it say so.
    Value(&'static str, Value, usize),
    Wrong,
    Text,
}

/// One value in a line, its canonical name first.
const THINK: &str = "off none 0\nminimal min\nlow on\nmedium med mid\nhigh\nxhigh extra-high\nmax\ndefault";
const VERBOSE: &str = "off no 0 false\non yes 1 true\nfull all";
const REASONING: &str = "off hide\non show\nstream";
const ELEVATED: &str = "off\non\nask\nfull auto";
const HOST: &str = "sandbox\ngateway\nnode\nauto";
const SECURITY: &str = "deny\nallowlist\nfull";
const ASK: &str = "off\non-miss\nalways";
// Open: the aliases of the queue's words. Here: those of the ancestor.
const MODE: &str = "steer steering queue queued\nfollowup follow-up followups follow-ups\ncollect coalesce\n\
                    interrupt interrupts abort\nsteer-backlog steer_backlog steer+backlog";
const DROP: &str = "old oldest\nnew newest\nsummarize summarise summary";

/// The canonical name of a word.
fn canonical(words: &'static str, word: &str) -> Option<&'static str> {
    let mut lines = words.lines();
    let line = lines.find(|line| line.split(' ').any(|one| one.eq_ignore_ascii_case(word)))?;
    line.split(' ').next()
}

/// The directive of a name, and the model when the name is a model's alias.
pub(super) fn named(name: &str, settings: &Settings) -> Option<(&'static str, Option<String>)> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "think" | "thinking" | "t" => ("think", None),
        "verbose" | "v" => ("verbose", None),
        "reasoning" | "reason" => ("reasoning", None),
        "elevated" | "elev" => ("elevated", None),
        "exec" => ("exec", None),
        "status" => ("status", None),
        "model" => ("model", None),
        "queue" => ("queue", None),
        _ => {
            let mut aliases = settings.aliases.iter();
            let alias = aliases.find(|alias| alias.to_ascii_lowercase() == name)?;
            ("model", Some(alias.clone()))
        }
    })
}

/// What `word` is to the directive `name`, which has set these things already.
pub(super) fn fit(name: &'static str, word: &str, set: &[&str], settings: &Settings) -> Fit {
    // Open: punctuation behind a value. Here: it stays in the text and ends the directive.
    let bare = word.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
    let of = |key: &'static str, value: Option<Value>| {
        value.map_or(Fit::Wrong, |value| Fit::Value(key, value, bare.len()))
    };
    let keyed = word.split_once(['=', ':']).and_then(|(key, _)| {
        let key = key.to_ascii_lowercase();
        let value = bare.get(key.len() + 1..).unwrap_or_default();
        let one = |words| canonical(words, value).map(|word| json!(word));
        Some(match (name, key.as_str()) {
            ("exec", "host") => of("host", one(HOST)),
            ("exec", "security") => of("security", one(SECURITY)),
            ("exec", "ask") => of("ask", one(ASK)),
            ("exec", "node") => of("node", Some(json!(value)).filter(|_| !value.is_empty())),
            ("queue", "debounce") => of("debounce_ms", duration(value)),
            ("queue", "cap") => of("cap", count(value)),
            ("queue", "drop") => of("drop", one(DROP)),
            _ => return None,
        })
    });
    if let Some(fit) = keyed {
        return fit;
    }
    let first = set.is_empty();
    let level = |words| canonical(words, bare).map(|word| json!(word));
    let value = match name {
        "think" if first => level(THINK).map(|level| ("level", takes(level, settings))),
        "verbose" if first => level(VERBOSE).map(|level| ("level", Some(level))),
        "reasoning" if first => level(REASONING).map(|level| ("level", Some(level))),
        "elevated" if first => level(ELEVATED).map(|level| ("level", Some(level))),
        "model" if first => model(bare).map(|value| ("model", there_is(value, settings))),
        "model" if bare.eq_ignore_ascii_case("--session") => Some(("session", Some(json!(true)))),
        "queue" if bare.eq_ignore_ascii_case("reset") => Some(("reset", Some(json!(true)))),
        "queue" => level(MODE).map(|mode| ("mode", Some(mode))),
        _ => None,
    };
    match value {
        Some((key, value)) => of(key, value),
        // "An unknown word is left in the text and reported." Open: what a word is. Here: what begins with a
        // letter or a digit.
        None if first && name != "status" && word.starts_with(char::is_alphanumeric) => Fit::Wrong,
        None => Fit::Text,
    }
}

/// "An unsupported level for the model is refused."
fn takes(level: Value, settings: &Settings) -> Option<Value> {
    let known = |levels: &Vec<foldback_directives::inbound::Think>| {
        level == "default" || levels.iter().any(|one| level == one.code())
    };
    settings.think.as_ref().is_none_or(known).then_some(level)
}

/// "DURATION (0 allowed)". Open: its form. Here: milliseconds, or numbers with units one after another; up to a
/// hundred years.
fn duration(text: &str) -> Option<Value> {
    static WHOLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\A(?:\d+(?:\.\d+)?|(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)\z").expect("a pattern")
    });
    static PART: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"([0-9.]+)([a-z]*)").expect("a pattern"));
    let text = text.to_ascii_lowercase();
    if !text.is_ascii() || !WHOLE.is_match(&text) {
        return None;
    }
    let parts = PART.captures_iter(&text).map(|part| {
        let unit = match &part[2] {
            "s" => 1_000.0,
            "m" => 60.0 * 1_000.0,
            "h" => 3_600.0 * 1_000.0,
            "d" => 24.0 * 3_600.0 * 1_000.0,
            _ => 1.0,
        };
        part[1].parse::<f64>().map(|number| number * unit)
    });
    let sum: f64 = parts.sum::<Result<f64, _>>().ok()?;
    let years = sum / (365.0 * 24.0 * 3_600.0 * 1_000.0);
    (years <= 100.0).then(|| json!(sum.round() as u64))
}

/// "N ≥ 1". Open: the largest. Here: what fits 32 bits.
fn count(text: &str) -> Option<Value> {
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let number = text.trim_start_matches('0').parse::<u32>().ok()?;
    digits.then(|| json!(number))
}

/// "`[provider/]model[@profile]`, alias, number from the last list". Open: the characters of each. Here: ASCII
/// letters, digits, `_ . : @ -`, at least one letter or digit, and one of these first.
fn model(text: &str) -> Option<Value> {
    static FORM: LazyLock<Regex> = LazyLock::new(|| {
        let part = "[A-Za-z0-9_.:@-]*[A-Za-z0-9][A-Za-z0-9_.:@-]*";
        let pattern = format!(r"\A(?:{part}/)*{part}\z");
        Regex::new(&pattern).expect("a pattern")
    });
    let form = |text: &str| FORM.is_match(text);
    if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    match text.rsplit_once('@') {
        Some((model, profile)) if !profile.contains('/') => {
            (form(model) && form(profile)).then(|| json!({"model": model, "profile": profile}))
        }
        _ => form(text).then(|| json!({"model": text})),
    }
}

/// Where the models are known: one of them, an alias or a number.
fn there_is(value: Value, settings: &Settings) -> Option<Value> {
    let Some(models) = &settings.models else {
        return Some(value);
    };
    let given = value["model"].as_str()?;
    let same = |name: &str| {
        let short = name.rsplit('/').next().unwrap_or_default();
        name.eq_ignore_ascii_case(given) || short.eq_ignore_ascii_case(given)
    };
    let number = given.chars().all(|c| c.is_ascii_digit());
    let known = number || models.iter().chain(&settings.aliases).any(|name| same(name));
    known.then_some(value)
}
