//! Places of settings in the text of `foldback.toml`, for messages: as the parser of TOML saw them, so that a comment, a
//! text or another table that holds the word of a key is never taken for it.

use std::ops::Range;
use toml::{
    Spanned,
    de::{DeString, DeTable, DeValue},
};

/// The keys and values of a text with their spans. Where the text is no TOML, those that could be read.
pub(super) struct Places<'t> {
    text: &'t str,
    root: DeTable<'t>,
}

impl<'t> Places<'t> {
    pub(super) fn read(text: &'t str) -> Self {
        let (root, _) = DeTable::parse_recoverable(text);
        let root = root.into_inner();
        Self { text, root }
    }

    /// The byte at which a field begins: its key, or the header of its table. Of a field that is not written, the
    /// nearest table around it; 0 where that is the whole text.
    pub(super) fn of_field(&self, path: &[&str]) -> usize {
        self.follow(path).0
    }

    /// The byte at which an entry of a list begins, counted from 0.
    pub(super) fn of_entry(&self, path: &[&str], index: usize) -> usize {
        let (field, value) = self.follow(path);
        let entry = value.and_then(DeValue::as_array).and_then(|list| list.get(index));
        entry.map_or(field, |entry| entry.span().start)
    }

    /// The byte at which a field of an entry of a list of tables begins; of one that is not written, the entry's.
    pub(super) fn of_entry_field(&self, path: &[&str], index: usize, name: &str) -> usize {
        let (_, value) = self.follow(path);
        let entry = value.and_then(DeValue::as_array).and_then(|list| list.get(index));
        let table = entry.and_then(|entry| entry.get_ref().as_table());
        match table.and_then(|table| table.get_key_value(name)) {
            Some((key, value)) => extent(key, value).start,
            None => self.of_entry(path, index),
        }
    }

    fn follow(&self, path: &[&str]) -> (usize, Option<&DeValue<'t>>) {
        let (mut at, mut table, mut found) = (0, Some(&self.root), None);
        for name in path {
            let Some((key, value)) = table.and_then(|table| table.get_key_value(*name)) else {
                return (at, None);
            };
            at = extent(key, value).start;
            table = value.get_ref().as_table();
            found = Some(value.get_ref());
        }
        (at, found)
    }

    /// The full name of the field that a part of the text belongs to, without the numbers of entries.
    pub(super) fn field_at(&self, part: &Range<usize>) -> Option<String> {
        let mut names = Vec::new();
        if !path_in_table(&self.root, part.start, &mut names) {
            // A key that stands there twice, or begins what cannot be read, is in no table.
            let mut headers = Vec::new();
            self.add_headers(&self.root, &[], &mut headers);
            headers.retain(|(start, _)| *start <= part.start);
            names = headers.into_iter().max().unwrap_or_default().1;
            let bare = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-');
            let key = self.text.get(part.clone());
            names.extend(key.filter(|key| !key.is_empty() && key.chars().all(bare)));
        }
        (!names.is_empty()).then(|| names.join("."))
    }

    /// Adds every header in a table, with its first byte and its names.
    fn add_headers<'a>(
        &'a self,
        table: &'a DeTable<'t>,
        above: &[&'a str],
        headers: &mut Vec<(usize, Vec<&'a str>)>,
    ) {
        for (key, value) in table {
            let path = [above, &[key.get_ref().as_ref()]].concat();
            let entries = value.get_ref().as_array().into_iter().flatten();
            for value in entries.chain([value]) {
                let Some(table) = value.get_ref().as_table() else {
                    continue;
                };
                let start = value.span().start;
                if self.text[start..].starts_with('[') {
                    headers.push((start, path.clone()));
                }
                self.add_headers(table, &path, headers);
            }
        }
    }
}

/// The bytes from a key to the end of its value, or the header of its table.
fn extent(key: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> Range<usize> {
    let (key, value) = (key.span(), value.span());
    key.start.min(value.start)..key.end.max(value.end)
}

/// Adds the names of the innermost field around a byte; false where there is none.
fn path_in_table<'a>(table: &'a DeTable<'_>, at: usize, names: &mut Vec<&'a str>) -> bool {
    table.iter().any(|(key, value)| {
        names.push(key.get_ref());
        let extent = extent(key, value);
        let around = path_in_value(value.get_ref(), at, names) || (extent.start..=extent.end).contains(&at);
        if !around {
            names.pop();
        }
        around
    })
}

fn path_in_value<'a>(value: &'a DeValue<'_>, at: usize, names: &mut Vec<&'a str>) -> bool {
    match value {
        DeValue::Table(table) => path_in_table(table, at, names),
        DeValue::Array(list) => list.iter().any(|entry| path_in_value(entry.get_ref(), at, names)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::config::parse;
    use std::path::Path;

    /// The place that the error about a text names: line, column and field.
    fn place(text: &str) -> String {
        let error = parse(text, Path::new("f")).unwrap_err().to_string();
        error.splitn(4, ':').take(3).collect::<Vec<_>>().join(":")
            + ":"
            + error.splitn(4, ':').nth(3).unwrap().split(": ").next().unwrap()
    }

    #[test]
    fn a_bound_names_the_line_of_its_key_whatever_else_holds_the_word() {
        for (text, expected) in [
            ("[queue]\ncap = 0\n", "f:2:1: queue.cap"),
            // Comments.
            ("# cap = 0 in [queue]\n[queue]\ncap = 0\n", "f:3:1: queue.cap"),
            (
                "# [queue]\n# cap = 5\n[typing]\n[queue]\n# cap = 5\n  cap = 0 # cap\n",
                "f:6:3: queue.cap",
            ),
            ("# cap\nqueue = { cap = 0 }\n", "f:2:11: queue.cap"),
            ("# cap\nqueue.cap = 0\n", "f:2:7: queue.cap"),
            // Other tables.
            (
                "[outbox]\nattempts = 5\n[queue] # [outbox]\ncap = 0\n",
                "f:4:1: queue.cap",
            ),
            (
                "[channels.queue]\nenabled = false\nkind = \"loopback\"\nplatform = \"slack\"\n[ queue ]\n\"cap\" = 0\n",
                "f:6:1: queue.cap",
            ),
            (
                "[typing]\nevery = \"6s\"\n[agent]\nidle_timeout = \"1m\"\n[agent.permissions]\ntimeout = \"0s\"\n[attachments]\ntimeout = \"1m\"\n",
                "f:6:1: agent.permissions.timeout",
            ),
            (
                "attachments.timeout = \"1m\"\n[agent.openai]\ntimeout = \"0s\"\n",
                "f:3:1: agent.openai.timeout",
            ),
            // Texts.
            (
                "[agent.openai]\nsystem_prompt = '''\n[queue]\ncap = 1\n'''\n[queue]\ncap = 0\n",
                "f:7:1: queue.cap",
            ),
            // Inline tables.
            (
                "store = { file = \"cap\" }\nqueue = { per_sender = 1, cap = 0 }\n",
                "f:2:27: queue.cap",
            ),
            (
                "[agent]\n# max_processes\nacp = { command = [\"max_processes\"], max_processes = 0 }\n",
                "f:3:38: agent.acp.max_processes",
            ),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }

    #[test]
    fn an_error_of_the_reader_names_the_whole_field() {
        for (text, expected) in [
            ("queue = { cap = \"x\" }\n", "f:1:17: queue.cap"),
            ("queue = { cpa = 1 }\n", "f:1:11: queue.cpa"),
            ("queue.cap = \"x\"\n", "f:1:13: queue.cap"),
            ("queue = 3\n", "f:1:9: queue"),
            (
                "[agent.openai]\nsystem_prompt = '''\n[typing]\nevery = 1\n'''\nmax_tokens = \"x\"\n",
                "f:6:14: agent.openai.max_tokens",
            ),
            (
                "[agent]\nfallback = [\n  # backend = 1\n  \"openai\",\n  7,\n]\n",
                "f:5:3: agent.fallback",
            ),
            (
                "[queue]\ncap = [\n  # per_sender = 1\n  1 ]\n",
                "f:2:7: queue.cap",
            ),
            ("[nothing]\n[queue]\n", "f:1:2: nothing"),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }

    #[test]
    fn a_key_of_an_array_of_tables_names_the_line_in_its_own_table() {
        for (text, expected) in [
            (
                "# pattern = \"a(\"\n[[redact.extra]]\npattern = \"a\"\n[[redact.extra]]\n# pattern\npattern = \"a(\"\n",
                "f:6:11: redact.extra.pattern",
            ),
            (
                "[[redact.extra]]\npattern = \"a\"\n[[redact.extra]]\npatern = \"a\"\n",
                "f:4:1: redact.extra.patern",
            ),
            (
                "[redact]\nextra = [{ pattern = \"a\" }, { pattern = \"a(\" }]\n",
                "f:2:41: redact.extra.pattern",
            ),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }

    #[test]
    fn an_entry_of_a_list_names_its_own_line_and_the_rest_its_key() {
        let play = "kind = \"loopback\"\nplatform = \"telegram\"\n";
        for (text, expected) in [
            (
                "[channels.telegram]\n# allow_from = [\"@al\"]\nallow_from = [\n  \"42\", # \"@al\"\n  \"@al\",\n]\n".to_owned(),
                "f:5:3: channels.telegram.allow_from",
            ),
            (
                "channels.telegram = { groups = [\"-1\"], allow_from = [\"@al\"] }\n".to_owned(),
                "f:1:54: channels.telegram.allow_from",
            ),
            (
                format!("# [channels.work]\n[channels.play]\n{play}[channels.work]\n"),
                "f:5:1: channels.work",
            ),
            ("# [channels.work]\nchannels = { work = {} }\n".to_owned(), "f:2:14: channels.work"),
            ("# all_clear\noutput = { all_clear = \"(\" }\n".to_owned(), "f:2:12: output.all_clear"),
            (
                "# [agent.openai]\n[agent.openai]\napi_key = { env = \"K\" }\n# base_url\nbase_url = \"http://a.example/v1\"\n".to_owned(),
                "f:5:1: agent.openai.base_url",
            ),
        ] {
            assert_eq!(place(&text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_toml_names_its_line_and_the_key_it_is_about() {
        for (text, expected) in [
            ("# cap\n[queue]\ncap = \n", "f:3:7: queue.cap"),
            ("[queue]\ncap = 1\ncap = 2\n", "f:3:1: queue.cap"),
            (
                "[typing]\n[queue]\ncap = 1\nper_sender = 2\ncap = 3\n[outbox]\n",
                "f:5:1: queue.cap",
            ),
            ("[queue]\ncap = 1x\n", "f:2:7: queue.cap"),
        ] {
            assert_eq!(place(text), expected, "{text}");
        }
    }
}
