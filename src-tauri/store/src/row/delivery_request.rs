//! Rows of delivery requests and dead chats, in words.

use foldback_wire::{DeliveryAccepted, DeliveryOutcome, DeliveryRefused, DeliveryRequest, Kind, Target};

pub(super) fn words(kind: &Kind) -> String {
    match kind {
        Kind::DeliveryDue(request) => due(request),
        Kind::DeliveryAccepted(DeliveryAccepted { id, turn }) => format!("delivery {id} became turn {turn}"),
        Kind::DeliveryRefused(DeliveryRefused {
            id, reason, detail, ..
        }) => format!("delivery {id} refused ({reason}): {detail}"),
        Kind::TargetDead {
            target,
            refusal,
            detail,
        } => format!("chat {} takes nothing more ({refusal}): {detail}", place(target)),
        Kind::TargetRevived { target, by } => format!("chat {} revived by {by}", place(target)),
        _ => String::new(),
    }
}

fn due(request: &DeliveryRequest) -> String {
    let what = match request.outcome {
        DeliveryOutcome::Output => "result",
        DeliveryOutcome::Event => "event",
        DeliveryOutcome::Error => "error",
    };
    let action = &request.action.name;
    let exits = request.items.iter().find_map(|item| item.exit);
    let exit = exits.map_or_else(String::new, |status| format!(", exit status {status}"));
    let cause = request.cause.map_or_else(
        || "delivered from outside".to_owned(),
        |turn| format!("asked for in turn {turn}"),
    );
    let name = request.requester.readable_name();
    format!(
        "{what} of {action}{exit}, for {name}; {cause} (delivery turn {})",
        request.depth
    )
}

fn place(target: &Target) -> String {
    let thread = target.thread.as_ref();
    thread.map_or_else(
        || target.chat.to_string(),
        |thread| format!("{}, thread {thread}", target.chat),
    )
}
