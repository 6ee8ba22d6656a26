//! What agents say of tools, as the journal keeps it: without secrets, and as much as a person can read.

use crate::recorder::Recorder;
use foldback_wire::{PermissionOption, PermissionRequest, ToolCall};

/// Most bytes of each text that are kept: of its beginning and of its end, where what matters may stand. Agents read
/// whole files with their tools.
const HEAD: usize = 49_152;
const TAIL: usize = 16_384;
/// Most bytes of the name of an answer.
const NAME: usize = 400;

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

/// Cuts what an agent asks, which is masked already; an answer's name becomes a line of a button.
pub(crate) fn cut_request(request: &mut PermissionRequest) {
    for PermissionOption { name, .. } in &mut request.options {
        *name = one_line(name);
    }
    cut(&mut request.title);
    if let Some(arguments) = &mut request.arguments {
        cut(arguments);
    }
    request.preview.each_text(cut);
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

/// Leaves the middle of what is long out, and says how much of how much.
fn cut(text: &mut String) {
    let whole = text.len();
    if whole <= HEAD + TAIL {
        return;
    }
    let middle = text.floor_char_boundary(HEAD)..text.ceil_char_boundary(whole - TAIL);
    let said = format!("\n… {} of {whole} bytes are left out …\n", middle.len());
    text.replace_range(middle, &said);
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
