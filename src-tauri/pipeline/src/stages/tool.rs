//! Tool calls of agents, as the journal keeps them: without secrets, and as much as a person can read.

use crate::recorder::Recorder;
use foldback_wire::{CallPreview, PermissionOption, PermissionRequest, ToolCall};

/// Most bytes of each text that are kept: of its beginning and of its end, where what matters may stand. Agents read
/// whole files with their tools.
const HEAD: usize = 49_152;
const TAIL: usize = 16_384;
/// Most bytes of the name of an answer.
const NAME: usize = 400;
/// Most files that are kept of a request: of those it would change, and of those it is about.
const FILES: usize = 64;

/// Masks a call and cuts it, in this order: half a secret is not recognised.
pub(crate) fn keepable(recorder: &Recorder, call: &mut ToolCall) {
    let ToolCall {
        name,
        arguments,
        result,
        ..
    } = call;
    for text in [Some(name), arguments.as_mut(), result.as_mut()]
        .into_iter()
        .flatten()
    {
        mask(recorder, text);
        cut(text);
    }
}

/// Makes a line of a button of each answer's name.
pub(crate) fn shorten_options(request: &mut PermissionRequest) {
    for PermissionOption { name, .. } in &mut request.options {
        *name = one_line(name);
    }
}

/// Cuts what an agent asks, which is masked already. True where some of it is left out.
pub(crate) fn cut_request(request: &mut PermissionRequest) -> bool {
    shorten_options(request);
    let CallPreview {
        changes,
        more_changes,
        locations,
        more_locations,
        ..
    } = &mut request.preview;
    let mut is_cut = keep_first(changes, more_changes) | keep_first(locations, more_locations);
    for text in [Some(&mut request.title), request.arguments.as_mut()]
        .into_iter()
        .flatten()
    {
        is_cut |= cut(text);
    }
    request.preview.each_text(|text| is_cut |= cut(text));
    is_cut
}

/// Keeps the first of many, and counts the others.
fn keep_first<T>(all: &mut Vec<T>, more: &mut u32) -> bool {
    let beyond = all.len().saturating_sub(FILES);
    all.truncate(FILES);
    *more = more.saturating_add(u32::try_from(beyond).unwrap_or(u32::MAX));
    beyond > 0
}

fn one_line(name: &str) -> String {
    let mut line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > NAME {
        line.truncate(line.floor_char_boundary(NAME));
        line.push('…');
    }
    line
}

fn mask(recorder: &Recorder, text: &mut String) {
    *text = recorder.words(text).into_owned();
}

/// Leaves the middle of what is long out, and says how much of how much. True where it did.
fn cut(text: &mut String) -> bool {
    let whole = text.len();
    if whole <= HEAD + TAIL {
        return false;
    }
    let middle = text.floor_char_boundary(HEAD)..text.ceil_char_boundary(whole - TAIL);
    let said = format!("\n… {} of {whole} bytes are left out …\n", middle.len());
    text.replace_range(middle, &said);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_what_is_long_the_middle_is_left_out_between_characters_and_its_size_told() {
        let most = "é".repeat(HEAD / 2) + &"é".repeat(TAIL / 2);
        let mut text = most.clone();
        cut(&mut text);
        assert_eq!(text, most, "as much as is kept");
        text = format!("a{most}z");
        cut(&mut text);
        let (head, tail) = text.split_once("\n… 4 of 65538 bytes are left out …\n").unwrap();
        assert!(head.starts_with("aéé") && tail.ends_with("ééz"));
        assert_eq!((head.len(), tail.len()), (HEAD - 1, TAIL - 1));
    }

    #[test]
    fn of_very_many_files_the_first_are_kept_and_the_number_of_the_others_told() {
        let change = || json!({"path": "a", "added": 1, "removed": 0, "diff": "+b"});
        let request = |count: usize| {
            let changes: Vec<_> = std::iter::repeat_with(change).take(count).collect();
            let mut request: PermissionRequest = serde_json::from_value(json!({
                "id": "p", "tool": null, "title": "Writing", "does": "edit", "arguments": null, "options": [],
                "preview": {"changes": changes, "locations": vec!["a"; count]},
            }))
            .unwrap();
            let is_cut = cut_request(&mut request);
            let CallPreview {
                changes,
                more_changes,
                locations,
                more_locations,
                ..
            } = request.preview;
            (
                is_cut,
                changes.len(),
                more_changes,
                locations.len(),
                more_locations,
            )
        };
        assert_eq!(request(64), (false, 64, 0, 64, 0));
        assert_eq!(request(70), (true, 64, 6, 64, 6));
    }
}
