//! Words of other people on a terminal.

use foldback_wire::visible;

/// One line of words that people choose themselves, without anything that could move or colour the terminal.
pub(crate) fn plain(text: &str) -> String {
    visible(text).replace(['\n', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_move_the_terminal() {
        assert_eq!(plain("Al\u{1b}[2Jice\u{202e}"), "Al⟨U+001B⟩[2Jice⟨U+202E⟩");
        assert_eq!(plain("Zoë 🐢"), "Zoë 🐢");
    }
}
