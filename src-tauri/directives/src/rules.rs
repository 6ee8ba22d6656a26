//! Every rule sentence of the grammar page, with an id that fixtures, holds and mutants name.

/// One rule of the output grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rule {
    /// `G` and the section, a dot, a word: `G3.bare`.
    pub id: &'static str,
    /// What it says.
    pub sentence: &'static str,
}

/// The rule table.
pub const RULES: &[Rule] = &[];
