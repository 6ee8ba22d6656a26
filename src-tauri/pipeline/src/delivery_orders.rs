//! The way of a delivery request from a turn to the engine, which stands above it and begins its turn.

use foldback_store::StoreError;
use foldback_wire::{DeliveryRefused, DeliveryRequest, Draft, TurnId};
use tokio::sync::{mpsc, oneshot};

/// A delivery request that a turn has the engine take in.
pub(crate) struct DeliveryOrder {
    pub(crate) request: DeliveryRequest,
    /// Events of the turn that asks, which are one write with the request: a crash leaves all of them or none.
    pub(crate) beside: Vec<Draft>,
    pub(crate) accepted: oneshot::Sender<Result<TurnId, NotDelivered>>,
}

/// The reason for which a request has no turn; nothing of its order is written then.
#[derive(Debug)]
pub(crate) enum NotDelivered {
    /// It was refused.
    Refused(DeliveryRefused),
    /// The journal cannot be used, or the process ends.
    Store(StoreError),
}

/// The place to which turns hand their requests over.
#[derive(Clone)]
pub(crate) struct DeliveryOrders(mpsc::UnboundedSender<DeliveryOrder>);

impl DeliveryOrders {
    /// The way, and its other end. A turn hands over one request at a time.
    pub(crate) fn channel() -> (Self, mpsc::UnboundedReceiver<DeliveryOrder>) {
        let (sender, orders) = mpsc::unbounded_channel();
        (Self(sender), orders)
    }

    /// Has a request taken in, with these events of the turn that asks. Answers its turn once both are durable.
    pub(crate) async fn order(
        &self,
        request: DeliveryRequest,
        beside: Vec<Draft>,
    ) -> Result<TurnId, NotDelivered> {
        let (accepted, answer) = oneshot::channel();
        let closed = || NotDelivered::Store(StoreError::Closed);
        let order = DeliveryOrder {
            request,
            beside,
            accepted,
        };
        self.0.send(order).map_err(|_| closed())?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }
}
