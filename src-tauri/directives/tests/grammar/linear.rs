//! I6: work is counted, not timed. Every byte may be looked at a few times, never again and again.

use foldback_directives::{Dialect, Hold, Scanner, Settings, Sink, Step};

/// Forgets everything but how much is held.
#[derive(Default)]
struct Ignore;

impl Sink for Ignore {
    fn step(&mut self, step: Step<'_>) {
        if let Step::Hold(Some(Hold { span, .. })) = step {
            assert!(span.start <= span.end);
        }
    }
}

/// Most examinations of one byte, for any input and any cut.
const MOST: u64 = 40;

/// Heartbeat turns look out for more than others.
fn work(text: &str, longest: usize) -> u64 {
    let work = |heartbeat| work_in(heartbeat, text, longest);
    work(false).max(work(true))
}

fn work_in(heartbeat: bool, text: &str, longest: usize) -> u64 {
    let settings = Settings {
        dialects: Dialect::ALL.to_vec(),
        heartbeat,
        action_names: vec!["bash".to_owned()],
        ..Settings::default()
    };
    let mut scanner = Scanner::new(&settings, None);
    let mut start = 0;
    while start < text.len() {
        let end = text.ceil_char_boundary((start + longest).min(text.len()));
        scanner.push(&text[start..end], &mut Ignore);
        start = end;
    }
    scanner.push("", &mut Ignore);
    scanner.work()
}

fn assert_linear(name: &str, text: &str) {
    for longest in [1, 7, 4_096, usize::MAX / 2] {
        let per_byte = work(text, longest) / text.len() as u64;
        assert!(
            per_byte <= MOST,
            "{name}: {per_byte} examinations a byte in chunks of {longest}"
        );
    }
}

fn growing_backticks() -> String {
    (1..600).map(|n| "`".repeat(n) + " ").collect()
}

#[test]
fn hostile_inputs_cost_no_more_than_others() {
    let n = 8_000;
    let cases: Vec<(&str, String)> = vec![
        ("unclosed actions", "<actions>".repeat(n)),
        ("unclosed actions with text", "<actions>x\n".repeat(n)),
        (
            "unclosed actions with one long word",
            "<actions>".to_owned() + &"x".repeat(n),
        ),
        ("unclosed actions in mid-line", "x <actions> <".repeat(n)),
        ("unclosed voice", "<voice>".repeat(n)),
        ("unclosed voice lines", "\n<voice>".repeat(n)),
        (
            "voice in an open block",
            "<actions>".to_owned() + &"<voice>".repeat(n),
        ),
        ("voice lines and words", "\n<voice>a b c".repeat(n)),
        ("react with a curly quote", "<react a=“".repeat(n)),
        ("react with a double quote", "<react a=\"".repeat(n)),
        ("react with quotes in turn", "<react a='<react a=\"".repeat(n)),
        ("react with an escaped quote", "<react a=\\\"".repeat(n)),
        ("quoted line ends", "<react a=\"x\ny".repeat(n)),
        ("curly quotes in a block", "<actions><react a=“>".repeat(n)),
        (
            "white space in a tag",
            "<react ".to_owned() + &" ".repeat(n) + ">",
        ),
        (
            "white space in a closing tag",
            "<actions></actions".to_owned() + &" ".repeat(n),
        ),
        (
            "white space after actions",
            "x <actions>".to_owned() + &" ".repeat(n),
        ),
        ("white space", " ".repeat(n)),
        (
            "white space and words",
            ("a".to_owned() + &" ".repeat(50)).repeat(n / 50),
        ),
        ("backtick runs", growing_backticks()),
        (
            "backtick runs with directives",
            growing_backticks().replace(' ', " <react "),
        ),
        ("one long run", "`".repeat(n)),
        ("single ticks", "` ".repeat(n)),
        ("ticks and lines", "`a\n``b\n".repeat(n)),
        ("fences", "```\n".repeat(n)),
        ("tildes", "~~~\n~~~~\n".repeat(n)),
        ("brackets", "[[".repeat(n)),
        ("headers", "[[a:b]]\n".repeat(n)),
        ("header and blanks", "[[a:b]]".to_owned() + &" ".repeat(n)),
        ("angles", "<".repeat(n)),
        ("closing angles", "</".repeat(n)),
        ("partial names", "<act".repeat(n)),
        ("nested think", "<think>".repeat(n)),
        ("think and words", "\n<think>a</think>".repeat(n)),
        ("nested tool calls", "<tool_call>x".repeat(n)),
        (
            "think with a quote",
            "<think>".to_owned() + &"<think a=“".repeat(n),
        ),
        ("control tokens", "<|a|>".repeat(n)),
        ("open control tokens", "<|a".repeat(n)),
        ("markers", "<no-reply/>".repeat(n)),
        ("markers and space", "<no-reply/> \n".repeat(n)),
        ("comments", "<actions>".to_owned() + &"<!-- ".repeat(n)),
        ("cdata", "<actions>".to_owned() + &"<![CDATA[".repeat(n)),
        (
            "unknown tags",
            "<actions>".to_owned() + &"<x a=“".repeat(n) + "</actions>",
        ),
        ("braces", "{\n".repeat(n)),
        ("braces and keys", "{\"a\n".repeat(n)),
        ("json actions", "{\"actions\":[".repeat(n)),
        ("json strings", "{\"actions\":\"".to_owned() + &"\\\"".repeat(n)),
        ("quote marks", "> ".repeat(n)),
        ("html", "<div><p class=\"a\">text</p></div>\n".repeat(n / 10)),
        (
            "prose",
            "The quick brown fox jumps over the lazy dog.\n".repeat(n / 10),
        ),
        ("bare reacts", "<react emoji=\"a\"/> ".repeat(n)),
        ("blocks", "<actions><react emoji=\"a\"/></actions> ok ".repeat(n)),
        (
            "misused closing tags",
            "</voice></react></actions></think>".repeat(n / 4),
        ),
        ("opened reacts", "<react emoji=\"a\"> x </react>".repeat(n / 4)),
    ];
    for (name, text) in cases {
        assert_linear(name, &text);
    }
}

/// What the stages behind the reader examine counts too: silence, values, JSON.
#[test]
fn hostile_tokens_and_values_cost_no_more_than_others() {
    let n = 8_000;
    let cases: Vec<(&str, String)> = vec![
        ("tokens", "x NO_REPLY ".repeat(n)),
        ("token edges", "x ** NO_REPLY** ".repeat(n)),
        ("tokens at the start", "- NO_REPLY ".repeat(n)),
        ("partial tokens", "x NO_REPL".repeat(n)),
        ("tokens in a row", "NO_REPLY ".repeat(n)),
        (
            "tokens in a row after text",
            "x ".to_owned() + &"NO_REPLY ".repeat(n),
        ),
        ("acknowledgements in a row", "HEARTBEAT_OK ".repeat(n)),
        ("acknowledgements and edges", "HEARTBEAT_OK.....".repeat(n)),
        ("tokens and markup", "NO_REPLY <react emoji=a/> ".repeat(n)),
        ("punctuation", "x ".to_owned() + &"*".repeat(n)),
        ("punctuation and text", "x *** ".repeat(n)),
        (
            "references that are none",
            "<actions>".to_owned() + &format!("<voice>{}</voice>", "&".repeat(n)) + "</actions>",
        ),
        (
            "numbers that do not end",
            format!("<react emoji=\"{}\"/>", "&#1".repeat(n / 8)).repeat(8),
        ),
        (
            "attributes again and again",
            format!("<react{}/>", " emoji=\"a\"".repeat(700)).repeat(n / 700),
        ),
        (
            "a long tag whose content comes byte by byte",
            format!(
                "<send-message channel=c chat=1 text=\"{}\">{}</send-message>\n\n",
                "t".repeat(4_000),
                "x".repeat(4_000)
            )
            .repeat(4),
        ),
        (
            "json values",
            "{\"actions\":[{\"type\":\"a\",\"payload\":[[{\"a\":1}],2]}]}\n".repeat(n / 8),
        ),
        (
            "nested json",
            format!("{{\"actions\":[{{\"type\":\"a\",\"payload\":{}", "[".repeat(n)),
        ),
    ];
    for (name, text) in cases {
        assert_linear(name, &text);
    }
}

/// What is text is told late of an action by itself; nothing of it is probed again.
#[test]
fn actions_by_themselves_cost_no_more_than_others() {
    let n = 8_000;
    let cases: Vec<(&str, String)> = vec![
        (
            "actions in one another",
            "{\"type\":\"a\",\"payload\":\n".repeat(n),
        ),
        (
            "actions in one another that are text",
            "{\"type\":\"a\",\"payload\":{},\"meta\":\n".repeat(n / 8) + &",\"ref\":1}".repeat(n / 8),
        ),
        (
            "one action after another",
            "{\"type\":\"a\",\"payload\":{}}\n".repeat(n / 4),
        ),
        (
            "objects that name an action in one another",
            "{\"type\":\"bash\",\"x\":\n".repeat(n / 4),
        ),
        (
            "objects that name an action in one another, with an end",
            "{\"type\":\"bash\",\"x\":\n".repeat(n / 8) + &"}".repeat(n / 8),
        ),
        (
            "objects that name an action, one after another",
            "{\"type\":\"bash\",\"x\":1}\n".repeat(n / 4),
        ),
        (
            "an object that names an action, with keys",
            "{\"type\":\"bash\"".to_owned() + &",\"payloadx\":1".repeat(n),
        ),
        (
            "an action with keys",
            "{\"type\":\"a\",\"payload\":{}".to_owned() + &",\"meta\":1".repeat(n),
        ),
    ];
    for (name, text) in cases {
        assert_linear(name, &text);
    }
}

/// The inputs that grow worst where a scanner reads again what it has read, each a little more than 1 MB.
fn megabytes() -> [(&'static str, String); 13] {
    let of = |pattern: &str| pattern.repeat(1_010_000 / pattern.len());
    [
        ("unclosed actions", of("<actions>")),
        ("unclosed actions with text", of("<actions>x")),
        ("unclosed voice", of("<voice>")),
        ("unclosed think", of("<think>")),
        ("backtick runs", (1..1_420).map(|n| "`".repeat(n) + " ").collect()),
        ("brackets", of("[[")),
        ("angles", of("<")),
        ("nested quotes", of("<react a='<react a=\"")),
        ("prose", of("The quick brown fox. ")),
        ("tokens", of("x NO_REPLY ")),
        ("token edges", of("x ** NO_REPLY** ")),
        ("partial tokens", of("x NO_REPL")),
        ("values", of("<react emoji=\"&amp;a\" message=1/> ")),
    ]
}

#[test]
fn a_byte_a_megabyte_on_costs_what_it_costs_at_the_start() {
    for (name, text) in megabytes() {
        let mut scanner = Scanner::new(&Settings::default(), None);
        let mut read_to = vec![0; text.len() + 1];
        for (at, c) in text.char_indices() {
            scanner.push(c.encode_utf8(&mut [0; 4]), &mut Ignore);
            read_to[at + 1] = scanner.work();
        }
        let at = |offset: usize| (read_to[offset + 1_000] - read_to[offset]) as f64;
        let (early, late) = (at(1_000), at(1_000_000));
        assert!(
            late <= 1.3 * early,
            "{name}, in chunks of one byte: 1,000 bytes cost {early} at 1 kB and {late} at 1 MB"
        );
    }
}

#[test]
fn a_message_of_a_megabyte_costs_no_more_a_byte_than_one_of_a_kilobyte() {
    for (name, text) in megabytes() {
        let per_byte = |len: usize| {
            let mut scanner = Scanner::new(&Settings::default(), None);
            scanner.push(&text[..len], &mut Ignore);
            scanner.finish_counted(&mut Ignore) as f64 / len as f64
        };
        let (short, long) = (per_byte(1_000), per_byte(1_000_000));
        assert!(
            long <= 1.3 * short,
            "{name}, in one chunk: {short} examinations a byte in 1 kB and {long} in 1 MB"
        );
    }
}

/// The user's message is read once, however often the answer repeats a part of it.
#[test]
fn repeated_echoes_of_a_hostile_message_cost_no_more_than_others() {
    let n = 8_000;
    let nested = |inside: usize| "<voice>".repeat(inside) + "</voice>";
    let pairs = |numbers: std::ops::Range<usize>| {
        let pair = |n| format!("<voice>{n}</voice>\n\n");
        numbers.map(pair).collect::<Vec<_>>().concat()
    };
    for (name, inbound, output) in [
        ("open tags", "<voice>".repeat(n), "<voice>a</voice>\n\n".repeat(n)),
        (
            "the same pair",
            "<voice>a</voice>".repeat(n),
            "<voice>a</voice>\n\n".repeat(n),
        ),
        (
            "nearly the same pairs",
            "<voice>aaaaaaaab</voice>".repeat(n),
            "<voice>aaaaaaaac</voice>\n\n".repeat(n),
        ),
        ("pairs that differ", pairs(0..n), pairs(n..2 * n)),
        (
            "a long pair",
            nested(n),
            format!("<actions>{}</actions> and ", nested(50)).repeat(n / 50),
        ),
        (
            "headers",
            "[[reply_to:1]]".repeat(n),
            "[[reply_to:1]]\n".repeat(n),
        ),
    ] {
        let mut scanner = Scanner::new(&Settings::default(), Some(&inbound));
        let (read, most) = (scanner.work(), MOST * inbound.len() as u64);
        assert!(read >= inbound.len() as u64, "{name}: reading the message counts");
        assert!(
            read <= most,
            "{name}: {read} examinations to read {} bytes",
            inbound.len()
        );
        scanner.push(&output, &mut Ignore);
        let work = scanner.finish_counted(&mut Ignore) - read;
        assert!(
            work <= MOST * output.len() as u64,
            "{name}: {work} examinations for {} bytes",
            output.len()
        );
    }
}

#[test]
fn memory_is_what_is_held() {
    let mut scanner = Scanner::new(&Settings::default(), None);
    for _ in 0..10_000 {
        scanner.push(
            "A sentence of plain text. <actions><react emoji=\"a\"/></actions>\n",
            &mut Ignore,
        );
        assert!(scanner.kept() < 1_000, "{} bytes kept", scanner.kept());
    }
}

#[test]
fn a_scanner_moves_between_threads() {
    let scanner = Scanner::new(&Settings::default(), None);
    let reader = std::thread::spawn(move || {
        let mut scanner = scanner;
        scanner.push("Hi", &mut Ignore);
        scanner.kept()
    });
    assert_eq!(
        reader.join().ok(),
        Some(2),
        "what was shown is looked back at for a word"
    );
}
