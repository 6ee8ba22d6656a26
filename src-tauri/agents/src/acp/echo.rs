//! A question of ours that the agent repeats. An agent that tells the history of a session behind our prompt tells its
//! old questions in just this way, and they hold words of ours by chance: only what repeats a prompt from its beginning is
//! ours.

/// The texts of the prompts, and what the agent has repeated of one of them.
#[derive(Debug, Default)]
pub(super) struct Echo {
    prompts: Vec<String>,
    heard: String,
}

impl Echo {
    /// Adds the text of a prompt.
    pub(super) fn add(&mut self, prompt: &str) {
        self.prompts.push(prompt.trim().to_owned());
    }

    /// Takes a piece of a question that the agent tells. True where it is a prompt of ours, or the next piece of one.
    pub(super) fn take(&mut self, piece: &str) -> bool {
        if piece.is_empty() {
            return true;
        }
        let grown = format!("{}{piece}", self.heard);
        self.heard = [grown.as_str(), piece]
            .into_iter()
            .find(|told| self.begins_a_prompt(told))
            .unwrap_or_default()
            .to_owned();
        !self.heard.is_empty()
    }

    /// Ends the question. True where it was whole, or where there was none; false for a question that only begins as a
    /// prompt of ours does.
    pub(super) fn end(&mut self) -> bool {
        let heard = std::mem::take(&mut self.heard);
        let heard = heard.trim();
        heard.is_empty() || self.prompts.iter().any(|prompt| prompt == heard)
    }

    fn begins_a_prompt(&self, told: &str) -> bool {
        let told = told.trim_start();
        self.prompts
            .iter()
            .any(|prompt| prompt.starts_with(told) || told.trim_end() == prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer for each piece, and the one for the end of the question.
    fn told(pieces: &[&str]) -> (Vec<bool>, bool) {
        let mut echo = Echo::default();
        echo.add("[From: Alice]\n\nwhat is the question?\n");
        echo.add("and now?");
        let ours = pieces.iter().map(|piece| echo.take(piece)).collect();
        (ours, echo.end())
    }

    #[test]
    fn only_what_repeats_a_prompt_from_its_beginning_is_ours() {
        for (pieces, ours, whole) in [
            (&["[From: Alice]\n\nwhat is the question?"][..], &[true][..], true),
            (&["[From: Alice]\n\nwhat is the question?\n"], &[true], true),
            (
                &["[From: ", "Alice]\n\nwhat", " is the question?"],
                &[true; 3],
                true,
            ),
            (
                &["[From: Alice]\n\nwhat is the question?", "and ", "now?"],
                &[true; 3],
                true,
            ),
            (&["question"], &[false], true),
            (&["Alice"], &[false], true),
            (&["what is the question?"], &[false], true),
            (&["and now"], &[true], false),
            (&["[From: Alice]\n\n", "what is the time?"], &[true, false], true),
            (&[""], &[true], true),
            (&[], &[], true),
        ] {
            assert_eq!(told(pieces), (ours.to_vec(), whole), "{pieces:?}");
        }
    }
}
