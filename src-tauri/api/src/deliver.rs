//! An operator's or a script's word about deliveries, from another process.

use crate::failure;
use foldback_wire::rpc::{DeliveryOrder, Failure};
use serde::de::DeserializeOwned;
use std::path::Path;

/// Gives an order about deliveries to the bot of this journal, and answers what came of it: a
/// [`DeliveryAnswer`](foldback_wire::rpc::DeliveryAnswer), or the chats that take nothing more.
///
/// # Errors
/// Where no bot runs, or with what cannot be done and why.
pub async fn order_delivery<A: DeserializeOwned>(journal: &Path, order: DeliveryOrder) -> Result<A, Failure> {
    #[cfg(unix)]
    if let Some(came) = crate::backend::ask(journal, &order.into()).await {
        return came;
    }
    #[cfg(not(unix))]
    drop(order);
    Err(failure::no_bot_for_deliveries(journal))
}
