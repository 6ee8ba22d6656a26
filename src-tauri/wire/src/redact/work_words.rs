//! Tools that an agent works with, and permission for them.

use super::Redaction;
use crate::{Kind, ToolCall};

impl Redaction {
    /// Masks the words of an event about a tool, or the permission to use one.
    pub(super) fn work_words(&self, kind: &mut Kind) {
        match kind {
            Kind::Tool { call } => self.tool_call(call),
            Kind::MemoryFlushed {
                prompt,
                answer,
                tools,
                failure,
                ..
            } => {
                self.mask(prompt);
                self.mask(answer);
                self.optional(failure);
                for call in tools {
                    self.tool_call(call);
                }
            }
            Kind::PermissionAsked { request, .. } => {
                self.request(request);
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

    fn tool_call(&self, call: &mut ToolCall) {
        self.mask(&mut call.name);
        self.optional(&mut call.arguments);
        self.optional(&mut call.result);
    }
}
