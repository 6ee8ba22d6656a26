//! The budgets of deliveries: what one requester, and all of them together, may have within a time. They are apart from the
//! limits of messages, so that a command that talks much keeps nobody from writing.

use crate::config::DeliveriesConfig;
use foldback_wire::{
    ChannelId, DeliveryRefusal, DeliveryRequest, DeliveryRequestId, Timestamp, TurnId, UserId,
    rpc::{BudgetUse, RequesterBudget},
};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
};

/// Most people whose use is told.
const MOST_TOLD: usize = 100;

/// A delivery that was accepted.
#[derive(Debug, Clone)]
struct Accepted {
    at: Timestamp,
    channel: ChannelId,
    requester: UserId,
    name: String,
    id: DeliveryRequestId,
    turn: TurnId,
}

/// The deliveries that were accepted within the time that the budgets count.
#[derive(Debug, Default)]
pub(crate) struct DeliveryBudget(VecDeque<Accepted>);

impl DeliveryBudget {
    /// Counts a delivery that was accepted.
    pub(crate) fn count(&mut self, request: &DeliveryRequest, turn: TurnId, at: Timestamp) {
        self.0.push_back(Accepted {
            at,
            channel: request.origin.channel.clone(),
            requester: request.requester.id.clone(),
            name: request.requester.readable_name().to_owned(),
            id: request.id.clone(),
            turn,
        });
    }

    /// The turn of a delivery that was accepted under this id.
    pub(crate) fn find(&self, id: &DeliveryRequestId) -> Option<TurnId> {
        self.0
            .iter()
            .find(|known| known.id == *id)
            .map(|known| known.turn)
    }

    /// The reason for which one more has no room, in words, where it has none.
    pub(crate) fn refusal(
        &mut self,
        config: &DeliveriesConfig,
        request: &DeliveryRequest,
        now: Timestamp,
    ) -> Option<(DeliveryRefusal, String)> {
        self.forget_old(config, now);
        let DeliveriesConfig {
            window,
            per_requester,
            total,
        } = *config;
        if self.0.len() >= total as usize {
            let why = format!("{total} deliveries within {window} (deliveries.total)");
            return Some((DeliveryRefusal::TotalBudget, why));
        }
        let (channel, who) = (&request.origin.channel, &request.requester.id);
        let own = |known: &&Accepted| known.channel == *channel && known.requester == *who;
        if self.0.iter().filter(own).count() >= per_requester as usize {
            let name = request.requester.readable_name();
            let why = format!("{name} had {per_requester} within {window} (deliveries.per_requester)");
            return Some((DeliveryRefusal::RequesterBudget, why));
        }
        None
    }

    /// Those accepted after now were accepted before the clock was set back: they count from now on.
    fn forget_old(&mut self, config: &DeliveriesConfig, now: Timestamp) {
        let since = now.minus(config.window.0);
        for known in &mut self.0 {
            known.at = known.at.min(now);
        }
        self.0.retain(|known| known.at > since);
    }

    /// The use of the budgets: that of all, and those of single people, the fullest first, at most 100.
    pub(crate) fn usage(
        &mut self,
        config: &DeliveriesConfig,
        now: Timestamp,
    ) -> (BudgetUse, Vec<RequesterBudget>) {
        self.forget_old(config, now);
        let window = config.window.0;
        let unused = |limit| BudgetUse {
            used: 0,
            limit,
            next_free: None,
        };
        let count = |budget: &mut BudgetUse, at: Timestamp| {
            budget.used = budget.used.saturating_add(1);
            // The oldest comes first.
            budget.next_free.get_or_insert(at.plus(window));
        };
        let mut total = unused(config.total);
        let mut people: BTreeMap<(&ChannelId, &UserId), (&str, BudgetUse)> = BTreeMap::new();
        for known in &self.0 {
            count(&mut total, known.at);
            let of_person = people.entry((&known.channel, &known.requester));
            let (name, budget) = of_person.or_insert((&known.name, unused(config.per_requester)));
            *name = &known.name;
            count(budget, known.at);
        }
        let mut people: Vec<_> = people.into_iter().collect();
        people.sort_by_key(|(_, (_, budget))| Reverse(budget.used));
        let people = people.into_iter().take(MOST_TOLD);
        let people = people.map(|((channel, requester), (name, budget))| RequesterBudget {
            channel: channel.clone(),
            requester: requester.clone(),
            name: name.to_owned(),
            budget,
        });
        (total, people.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::Interval, testing::inbound};
    use foldback_wire::{DeliveryLimits, DeliveryOutcome, PerformedAction, ReplyAddress};

    const CONFIG: DeliveriesConfig = DeliveriesConfig {
        window: Interval::minutes(10),
        per_requester: 2,
        total: 4,
    };

    fn request(channel: &str, who: &str) -> DeliveryRequest {
        let mut message = inbound("hi");
        message.channel = channel.into();
        message.sender.id = who.into();
        message.sender.display_name = format!("Person {who}");
        DeliveryRequest {
            id: "d".into(),
            origin: ReplyAddress::of(&message),
            requester: message.sender,
            action: PerformedAction {
                name: "bash".to_owned(),
                command: None,
            },
            outcome: DeliveryOutcome::Output,
            items: Vec::new(),
            items_omitted: 0,
            depth: 1,
            limits: DeliveryLimits::default(),
            corrections: None,
            cause: None,
        }
    }

    #[test]
    fn one_id_on_two_channels_is_two_people() {
        let mut budget = DeliveryBudget::default();
        let telegram = request("telegram", "7");
        for turn in 1..=2 {
            budget.count(&telegram, TurnId(turn), Timestamp(1_000));
        }
        let now = Timestamp(2_000);
        let refused = budget.refusal(&CONFIG, &telegram, now).map(|(code, _)| code);
        assert_eq!(refused, Some(DeliveryRefusal::RequesterBudget));
        assert_eq!(budget.refusal(&CONFIG, &request("slack", "7"), now), None);
    }

    #[test]
    fn a_clock_that_is_set_back_costs_no_more_than_a_window() {
        let mut budget = DeliveryBudget::default();
        let request = request("telegram", "7");
        let day = 24 * 3_600_000;
        for turn in 1..=2 {
            budget.count(&request, TurnId(turn), Timestamp(day));
        }
        let mut is_refused = |ms| budget.refusal(&CONFIG, &request, Timestamp(ms)).is_some();
        assert!(is_refused(1_000));
        assert!(!is_refused(1_000 + 10 * 60_000));
    }

    #[test]
    fn the_use_is_told_with_the_time_at_which_the_oldest_counts_no_more() {
        let mut budget = DeliveryBudget::default();
        let minute = 60_000;
        for (minutes, channel, who) in [
            (1, "telegram", "7"),
            (2, "telegram", "8"),
            (3, "telegram", "8"),
            (4, "slack", "7"),
        ] {
            budget.count(&request(channel, who), TurnId(1), Timestamp(minutes * minute));
        }
        let told = |budget: &mut DeliveryBudget, minutes: i64| {
            let (total, people) = budget.usage(&CONFIG, Timestamp(minutes * minute));
            let minutes = |budget: BudgetUse| budget.next_free.map(|at| at.0 / minute);
            let people: Vec<_> = people
                .into_iter()
                .map(|person| {
                    let who = format!("{} {}", person.channel, person.name);
                    (who, person.budget.used, minutes(person.budget))
                })
                .collect();
            ((total.used, total.limit, minutes(total)), people)
        };
        let (total, people) = told(&mut budget, 5);
        assert_eq!(total, (4, 4, Some(11)));
        assert_eq!(
            people,
            [
                ("telegram Person 8".to_owned(), 2, Some(12)),
                ("slack Person 7".to_owned(), 1, Some(14)),
                ("telegram Person 7".to_owned(), 1, Some(11)),
            ]
        );
        let (total, people) = told(&mut budget, 13);
        assert_eq!(total, (1, 4, Some(14)));
        assert_eq!(people.len(), 1);
        assert_eq!(told(&mut budget, 60).0, (0, 4, None));
    }
}
