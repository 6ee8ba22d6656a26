//! What users write beside words for the agent: directives, commands, and the settings that come of them.

use super::Redaction;
use crate::{Kind, ReadThread, UnderstoodFile};
use foldback_directives::redact::InboundSecrets;

impl Redaction {
    /// Masks the words of an event about directives, commands, files, settings of a session, or messages in the queue.
    pub(super) fn user_words(&self, kind: &mut Kind) {
        match kind {
            Kind::InlineDirectives(read) => {
                for directive in &mut read.directives {
                    self.mask(&mut directive.value);
                }
                for finding in &mut read.findings {
                    self.mask(finding);
                }
            }
            Kind::SettingsChanged { changes, .. } => {
                for change in changes {
                    self.optional(&mut change.from);
                    self.optional(&mut change.to);
                }
            }
            Kind::SessionReset { kept, .. } => {
                for setting in kept {
                    self.mask(&mut setting.value);
                }
            }
            Kind::SettingsResolved { settings } => {
                for setting in settings {
                    self.mask(&mut setting.value);
                }
            }
            Kind::LevelIgnored { asked, why, .. } => {
                self.mask(asked);
                self.mask(why);
            }
            Kind::Gathered { name, why, heard, .. } => {
                if self.inbound != InboundSecrets::Keep {
                    self.mask(name);
                    self.optional(heard);
                }
                self.mask(why);
            }
            Kind::Understood(UnderstoodFile { name, text, why, .. }) => {
                if self.inbound != InboundSecrets::Keep {
                    self.mask(name);
                    self.optional(text);
                }
                self.mask(why);
            }
            Kind::NotSteered { why, .. } => self.mask(why),
            Kind::TakenIn { sender, text, .. } if self.inbound != InboundSecrets::Keep => {
                self.mask(sender);
                self.mask(text);
            }
            Kind::GroupHistory { messages } if self.inbound != InboundSecrets::Keep => {
                for message in messages {
                    self.mask(&mut message.sender);
                    self.mask(&mut message.text);
                }
            }
            Kind::ThreadRead(ReadThread { thread, .. }) if self.inbound != InboundSecrets::Keep => {
                self.thread(thread);
            }
            Kind::LinkRead { link, text, why, .. } => {
                if self.inbound != InboundSecrets::Keep {
                    self.mask(link);
                    self.optional(text);
                }
                self.mask(why);
            }
            Kind::Command { arguments, .. } if self.inbound != InboundSecrets::Keep => self.mask(arguments),
            _ => {}
        }
    }
}
