//! Masking secrets in what is delivered to the agent.

use super::Redaction;
use crate::{DeliveryRequest, Reminder};

impl DeliveryRequest {
    /// The request as it may be kept and told: its secrets masked, where there is a redaction, and then cut to its bounds.
    /// Applied twice it changes nothing.
    #[must_use]
    pub fn masked_and_bounded(mut self, redaction: Option<&Redaction>) -> Self {
        if let Some(redaction) = redaction {
            redaction.delivery(&mut self);
        }
        self.bound();
        self
    }
}

impl Redaction {
    /// Masks every secret in a reminder that is set: its text, and the names of its requester and its chat.
    pub fn reminder(&self, reminder: &mut Reminder) {
        let Reminder {
            text,
            chat_name,
            requester,
            ..
        } = reminder;
        let names = [&mut requester.name, &mut requester.display_name];
        for words in names.into_iter().chain(chat_name).chain([text]) {
            self.mask(words);
        }
    }

    /// Masks every secret in a delivery request. Whatever is done with secrets in a user's own message: no user wrote it.
    pub(super) fn delivery(&self, request: &mut DeliveryRequest) {
        request.each_text(|text| self.mask(text));
    }
}
