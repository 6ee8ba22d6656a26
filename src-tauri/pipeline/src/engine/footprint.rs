//! The size of what an engine keeps in memory.

use super::Engine;

/// Sizes of an engine's memory. An idle one has nothing but remembered messages and a few tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Conversations with a turn that runs or waits.
    pub conversations: usize,
    /// Runs of agents.
    pub runs: usize,
    /// Delivery queues with an operation in them.
    pub queues: usize,
    /// Messages that are remembered to recognise repetitions; at most 5,000, and none for longer than 20 minutes once
    /// another one comes in.
    pub messages: usize,
    /// Tasks.
    pub tasks: usize,
}

impl Engine {
    /// The sizes at this moment.
    pub fn footprint(&self) -> Footprint {
        let core = &self.core;
        Footprint {
            conversations: core.queue.conversations.len(),
            runs: core.context.runs.lock().len(),
            queues: core.delivery_queues.len(),
            messages: core.seen.lock().len(),
            tasks: core.context.tasks.len(),
        }
    }
}
