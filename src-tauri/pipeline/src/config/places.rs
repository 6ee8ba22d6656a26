//! Places of settings in the text of `foldback.toml`, for messages.

/// The place of an entry in a channel's list, as far as can be told from the text.
pub(super) fn entry_at(text: &str, table: usize, key: &str, entry: &str) -> usize {
    let begins_line = |at: usize| {
        text[..at]
            .rsplit('\n')
            .next()
            .is_some_and(|before| before.trim().is_empty())
    };
    let mut keys = text[table..].match_indices(key).map(|(at, _)| table + at);
    let Some(key) = keys.find(|at| begins_line(*at)) else {
        return table;
    };
    let list = &text[key..];
    let quoted = ['"', '\''].map(|quote| list.find(&format!("{quote}{entry}{quote}")));
    let found = quoted.into_iter().flatten().min().or_else(|| list.find(entry));
    found.map_or(key, |at| key + at)
}

/// The place of a setting's key at the beginning of a line of its table, else the first place of its name.
pub(super) fn setting_at(text: &str, field: &str) -> usize {
    let (table, key) = field.rsplit_once('.').unwrap_or(("", field));
    let from = text.find(&format!("[{table}]")).unwrap_or(0);
    let mut at = from;
    let line = text[from..].split_inclusive('\n').find_map(|line| {
        let begins = at + line.len() - line.trim_start().len();
        at += line.len();
        let is_key = |rest: &str| rest.trim_start().starts_with('=');
        text[begins..]
            .strip_prefix(key)
            .is_some_and(is_key)
            .then_some(begins)
    });
    line.or_else(|| text.find(key)).unwrap_or(0)
}

pub(super) fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0)
}

/// The full name of the field at a place: the table it stands in and the key of its line.
pub(super) fn field_at(text: &str, at: usize) -> Option<String> {
    let at = floor(text, at);
    let line_start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let line = text[line_start..].lines().next()?.trim();
    let header = |line: &str| {
        let name = line.trim().strip_prefix('[')?.split(']').next()?;
        Some(name.trim_start_matches('[').trim().to_owned())
    };
    if let Some(table) = header(line) {
        return Some(table);
    }
    let above = || text[..line_start].lines().rev();
    let table = above().find_map(header);
    // An entry of a list may stand on a line of its own, below its key.
    let key = key_of(line).or_else(|| above().take_while(|line| header(line).is_none()).find_map(key_of));
    match (table, key) {
        (Some(table), Some(key)) => Some(format!("{table}.{key}")),
        (table, key) => key.or(table),
    }
}

/// The key that a line begins with.
fn key_of(line: &str) -> Option<String> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let bare = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(bare)).then(|| key.to_owned())
}
