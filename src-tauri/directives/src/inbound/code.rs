//! What of a whole message is code, by the rules of the output grammar.

use crate::Span;
use crate::lex::line::Line;
use crate::lex::ticks::{Closing, Ticks};
use crate::lex::{Source, is_blank};

/// The parts of `text` outside code spans and fences, in order. `source` holds the whole of `text`.
pub(super) fn plain(text: &str, source: &Source) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut ticks = Ticks::default();
    let mut line = Line::START;
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let mark = bytes[at];
        if mark == b'`' || (mark == b'~' && line.opens_fence()) {
            let after = at + run(&bytes[at..], mark, source);
            let fence = line.opens_fence() && after - at >= 3;
            line.feed(char::from(mark));
            let end = if mark == b'`' {
                ticks.begin(at, after);
                if fence && ticks.more_on_line(source, at) == Some(false) {
                    Some(fence_end(bytes, at, after, source))
                } else {
                    match ticks.closing(source, at) {
                        Closing::At(end) => Some(end),
                        Closing::Never | Closing::Unknown => None,
                    }
                }
            } else {
                fence.then(|| fence_end(bytes, at, after, source))
            };
            if let Some(end) = end {
                parts.push(Span::new(from, at));
                from = end;
            }
            at = end.unwrap_or(after);
        } else if line.is_body() {
            let skip = memchr::memchr2(b'`', b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
            source.spend(skip + 1);
            at += skip;
            if bytes.get(at) == Some(&b'\n') {
                line.feed('\n');
                at += 1;
            }
        } else {
            let c = text[at..].chars().next().unwrap_or_default();
            source.spend(1);
            line.feed(c);
            at += c.len_utf8();
        }
    }
    parts.push(Span::new(from, bytes.len()));
    parts
}

fn run(bytes: &[u8], mark: u8, source: &Source) -> usize {
    let run = bytes.iter().take_while(|b| **b == mark).count();
    source.spend(run + 1);
    run
}

/// Where the fence opened by the marks `start..after` ends: at the line break after its closing line, or at
/// the end of the message.
fn fence_end(bytes: &[u8], start: usize, after: usize, source: &Source) -> usize {
    let (mark, len) = (bytes[start], after - start);
    let mut at = after;
    while let Some(skip) = memchr::memchr(b'\n', &bytes[at..]) {
        at += skip + 1;
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |skip| at + skip);
        source.spend(skip + end - at + 1);
        let line = &bytes[at..end];
        let lead = line.iter().take_while(|b| is_blank(**b) || **b == b'>').count();
        let marks = run(&line[lead..], mark, source);
        let rest = &line[lead + marks..];
        let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
        if marks >= len && rest.iter().all(|b| is_blank(*b)) {
            return end;
        }
    }
    bytes.len()
}
