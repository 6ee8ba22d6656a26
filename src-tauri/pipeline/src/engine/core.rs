//! The parts of the running bot.

use super::{deliveries_state::DeliveriesState, schedules_state::SchedulesState};
use crate::{
    aged::AgedMessages,
    commands::{Commands, SessionControl},
    context::TurnContext,
    deliver::delivery_queue::DeliveryQueues,
    gates::Gates,
    pairing::Pairing,
    queue::TurnQueue,
    stages::dedupe::SeenMessages,
    turn::TurnRunner,
};
use foldback_store::PairingBook;
use foldback_wire::Rng;
use std::{path::PathBuf, sync::Arc};

/// The parts of the running bot, from what a turn works with up to what begins turns.
pub(super) struct Core {
    pub(super) context: Arc<TurnContext>,
    pub(super) delivery_queues: Arc<DeliveryQueues>,
    pub(super) seen: Arc<SeenMessages>,
    pub(super) pairing: Arc<Pairing>,
    pub(super) gates: Gates,
    pub(super) queue: Arc<TurnQueue>,
    /// Messages that waited over a stop for too long to be answered without a person's word.
    pub(super) aged: Arc<AgedMessages>,
    pub(super) control: Arc<SessionControl>,
    pub(super) commands: Arc<Commands>,
    pub(super) schedules: SchedulesState,
    pub(super) deliveries: DeliveriesState,
}

impl Core {
    pub(super) fn new(
        context: Arc<TurnContext>,
        delivery_queues: Arc<DeliveryQueues>,
        rng: Arc<dyn Rng>,
        pairings: PairingBook,
        base: PathBuf,
    ) -> Arc<Self> {
        let seen = Arc::<SeenMessages>::default();
        let pairing = Pairing::new(&context, &delivery_queues, rng, pairings);
        let runner = TurnRunner::new(&context, &delivery_queues, &seen);
        let queue = TurnQueue::new(&context, &seen, runner);
        let gathered = Box::new(Arc::clone(&queue));
        let gates = Gates::new(&context, &delivery_queues, &pairing, &seen, gathered);
        let aged = AgedMessages::new(&queue);
        let control = SessionControl::new(&context, &queue, &aged);
        let commands = Commands::new(&context, &delivery_queues, &seen, &pairing, &control);
        let began = context.recorder.now();
        Arc::new(Self {
            context,
            delivery_queues,
            seen,
            pairing,
            gates,
            queue,
            aged,
            control,
            commands,
            schedules: SchedulesState::below(base, began),
            deliveries: DeliveriesState::default(),
        })
    }
}
