//! Marks in texts, which tell the conversation and the message that they belong to.

/// The mark of a message: `[telegram.c3.17]`.
pub(super) fn mark(place: &str, number: usize) -> String {
    format!("[{place}.{number}]")
}

/// The marks in a text, in order.
pub(super) fn marks(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, behind)) = rest.split_once('[') {
        rest = behind;
        if let Some((inside, _)) = behind.split_once(']')
            && is_mark(inside)
        {
            found.push(inside);
        }
    }
    found
}

fn is_mark(inside: &str) -> bool {
    let mut parts = inside.split('.');
    let (Some(_), Some(chat), Some(number), None) = (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    chat.starts_with('c') && number.bytes().all(|byte| byte.is_ascii_digit()) && inside.len() < 40
}

/// The conversation that a mark belongs to: `telegram.c3`.
pub(super) fn place_of(mark: &str) -> &str {
    mark.rsplit_once('.').map_or(mark, |(place, _)| place)
}
