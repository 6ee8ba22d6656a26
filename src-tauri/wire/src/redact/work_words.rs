//! Tools that an agent works with, and permission for them.

use super::Redaction;
use crate::Kind;

impl Redaction {
    /// Masks the words of an event about a tool, or the permission to use one.
    pub(super) fn work_words(&self, kind: &mut Kind) {
        match kind {
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
