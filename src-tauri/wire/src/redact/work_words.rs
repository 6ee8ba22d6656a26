//! What an agent works with: files that came with a message, tools, and permission for them.

use super::Redaction;
use crate::Kind;
use foldback_directives::redact::InboundSecrets;

impl Redaction {
    /// Masks the words of an event about a file, a tool, or the permission to use one.
    pub(super) fn work_words(&self, kind: &mut Kind) {
        match kind {
            Kind::Gathered { name, why, heard, .. } => {
                if self.inbound != InboundSecrets::Keep {
                    self.mask(name);
                    self.optional(heard);
                }
                self.mask(why);
            }
            Kind::Tool { call } => {
                self.mask(&mut call.name);
                self.optional(&mut call.arguments);
                self.optional(&mut call.result);
            }
            Kind::PermissionDecided { option, why, .. } => {
                self.mask(why);
                if let Some(option) = option {
                    self.mask(&mut option.name);
                }
            }
            _ => {}
        }
    }
}
