//! What the running bot is made of.

use crate::{
    aged::AgedMessages, context::TurnContext, conversations::Conversations, deliver::lanes::Lanes,
    gates::Gates, pairing::Pairing, queue::Pending, stages::dedupe::SeenMessages,
};
use std::sync::Arc;

/// What the running bot is made of.
pub(crate) struct Core {
    pub(crate) context: Arc<TurnContext>,
    pub(crate) lanes: Arc<Lanes>,
    pub(crate) conversations: Conversations<Pending>,
    /// Messages that waited over a stop for too long to be answered without a person's word.
    pub(crate) aged: AgedMessages,
    pub(crate) seen: Arc<SeenMessages>,
    pub(crate) gates: Gates,
    pub(crate) pairing: Arc<Pairing>,
}
