//! The two protocols of `OpenAI`, read as leniently as their many implementations need.

mod chat;
mod effort;
mod responses;

pub(crate) use chat::Chat;
#[cfg(test)]
pub(crate) use chat::ToolDelta;
pub(crate) use responses::Responses;
