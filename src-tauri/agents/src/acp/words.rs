//! What an agent says, piece by piece: a piece may end inside a character.

use crate::{Step, joiner::Joiner};

/// The text and the reasoning of one run.
#[derive(Default)]
pub(super) struct Words {
    /// The message that is being said.
    message: Option<String>,
    text: Joiner,
    reasoning: Joiner,
}

impl Words {
    /// More text of a message.
    pub(super) fn say(&mut self, message: Option<String>, piece: &[u8]) -> Vec<Step> {
        let mut steps = Vec::new();
        if message != self.message {
            steps = self.flush();
            self.message.clone_from(&message);
        }
        let text = self.text.push(piece);
        if !text.is_empty() {
            steps.push(Step::Text { message, text });
        }
        steps
    }

    /// More reasoning.
    pub(super) fn reason(&mut self, piece: &[u8]) -> Vec<Step> {
        let text = self.reasoning.push(piece);
        let step = (!text.is_empty()).then_some(Step::Reasoning(text));
        step.into_iter().collect()
    }

    /// Nothing more of this comes: half a character gets no other half.
    pub(super) fn flush(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        let open = self.reasoning.finish();
        if !open.is_empty() {
            steps.push(Step::Reasoning(open.to_owned()));
        }
        let open = self.text.finish();
        if !open.is_empty() {
            let (message, text) = (self.message.clone(), open.to_owned());
            steps.push(Step::Text { message, text });
        }
        steps
    }
}
