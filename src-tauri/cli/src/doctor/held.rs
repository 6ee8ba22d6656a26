//! What waits for a person's consent: nobody may have seen the bot's question.

use super::{
    check::{Answer, Check},
    subject::Subject,
};
use foldback_api::{QueueOrder, order_queue};

const TODO: &str = "`foldback queue release CHANNEL` lets it go on while the bot runs, `foldback queue drop CHANNEL` \
                    gives it up";

pub(super) fn checks(subject: &Subject) -> Vec<Check> {
    let asked = "the bot, or its journal while it does not run, for what waits for a person's consent";
    let (journal, max_age) = (subject.journal_file.clone(), subject.config.outbox.max_age.0);
    let answer = async move {
        let held = match order_queue(&journal, max_age, QueueOrder::Held).await {
            Ok(held) => held,
            Err(failure) => return Answer::unasked(failure.message, "mend what is said of the journal"),
        };
        let on = held
            .iter()
            .map(|held| format!("{held} on {}, the oldest since {}", held.channel, held.oldest));
        match on.collect::<Vec<_>>().join("; ") {
            nothing if nothing.is_empty() => Answer::fine("nothing waits"),
            waits => Answer::note(format!("{waits}: longer than outbox.max_age"), TODO),
        }
    };
    vec![Check::new("consent", asked, answer)]
}
