//! People who write: what they may, what they may not, twice, too much, to nobody.

use super::{Chance, Round, marks::mark};
use foldback_channels::platform;
use foldback_wire::{ChatId, ChatType, Clock as _, Inbound, Platform, Sender};

/// Conversations of people on all channels together.
pub(super) const PLACES: usize = 5 * CHATS;
/// People who write in one chat, at most.
pub(super) const SENDERS: usize = 4;
/// Chats on each channel.
const CHATS: usize = 6;
/// Of these, so many are groups.
const GROUPS: usize = 2;

const DIRECTIVES: [&str; 8] = [
    "/think low",
    "/verbose on",
    "/reasoning off",
    "/queue collect debounce:1s cap:2 drop:old",
    "/queue interrupt",
    "/queue followup drop:new",
    "/queue reset",
    "/elevated ask",
];
const COMMANDS: [&str; 20] = [
    "/help",
    "/commands",
    "/status",
    "/whoami",
    "/stop",
    "/stop",
    "/new",
    "/reset",
    "/models",
    "/context",
    "/usage",
    "/session",
    "/export",
    "/compact",
    "/approve",
    "/activation always",
    "/send off",
    "/send on",
    "/send on",
    "/send default",
];
const STOP_WORDS: [&str; 3] = ["stop", "STOP!", "abort"];

pub(super) struct People<'a> {
    round: &'a Round,
    number: usize,
    /// Messages that the platform hands over once more, and when: before the message of this number.
    late: Vec<(usize, Platform, Inbound)>,
    /// Messages that were handed over, repeated ones included.
    pub(super) arrivals: usize,
}

impl<'a> People<'a> {
    pub(super) fn new(round: &'a Round) -> Self {
        let (number, late, arrivals) = (0, Vec::new(), 0);
        Self {
            round,
            number,
            late,
            arrivals,
        }
    }

    fn chance(&self) -> &'a Chance {
        &self.round.chance
    }

    /// Somebody writes, and a platform may repeat what was written before.
    pub(super) fn write(&mut self) {
        let number = self.number;
        self.number += 1;
        let platform = self.chance().one_of(platform::ALL);
        let message = self.message(platform, number);
        if self.chance().percent(3) {
            self.late
                .push((number + self.chance().below(200), platform, message.clone()));
        }
        self.arrive(platform, message);
        let due = |(at, ..): &mut (usize, Platform, Inbound)| *at <= number;
        let again: Vec<_> = self.late.extract_if(.., due).collect();
        for (_, platform, message) in again {
            self.arrive(platform, message);
        }
        if self.chance().below(2_000) == 0 {
            self.round.loopbacks[&platform].disconnect(self.chance().ms(1_000, 60_000));
        }
    }

    /// What has not come once more yet comes.
    pub(super) fn repeat_the_rest(&mut self) {
        for (_, platform, message) in std::mem::take(&mut self.late) {
            self.arrive(platform, message);
        }
    }

    fn arrive(&mut self, platform: Platform, message: Inbound) {
        self.arrivals += 1;
        self.round.loopbacks[&platform]
            .inject(message)
            .expect("it is taken in");
    }

    fn message(&self, platform: Platform, number: usize) -> Inbound {
        let chance = self.chance();
        // Most write where others write at this moment, too: conversations are busy.
        let chat_number = if chance.percent(60) {
            chance.below(2) * (CHATS - 1)
        } else {
            chance.below(CHATS)
        };
        let chat: ChatId = format!("c{chat_number}").into();
        let is_group = chat_number < GROUPS;
        let sender = match chance.below(100) {
            0..40 => "owner",
            40..85 => "friend",
            85..93 => "stranger",
            _ => "robot",
        };
        let place = format!("{}.{chat}", platform.code());
        let loopback = &self.round.loopbacks[&platform];
        Inbound {
            channel: platform.code().into(),
            account: None,
            message: loopback.mint(&chat),
            chat,
            chat_type: if is_group {
                ChatType::Group
            } else {
                ChatType::Direct
            },
            thread: None,
            reply_to: None,
            sender: Sender {
                id: sender.into(),
                name: sender.to_owned(),
                display_name: sender.to_uppercase(),
                is_bot: sender == "robot",
            },
            text: self.text(&mark(&place, number)),
            mentioned: !is_group || chance.percent(70),
            forwarded: chance.percent(3),
            files: Vec::new(),
            at: self.round.clock.now(),
            dry_run: false,
            at_by_device: false,
            omitted: None,
            context: None,
        }
    }

    fn text(&self, mark: &str) -> String {
        let chance = self.chance();
        match chance.below(100) {
            0..8 => format!("{} {mark} please", chance.one_of(&DIRECTIVES)),
            8..12 => format!("first {mark} then\n{}", chance.one_of(&DIRECTIVES)),
            12..20 => chance.one_of(&DIRECTIVES).to_owned(),
            20..30 => chance.one_of(&COMMANDS).to_owned(),
            30..33 => chance.one_of(&STOP_WORDS).to_owned(),
            33..36 => format!("/frobnicate {mark}"),
            36..37 => " \n".to_owned(),
            37..39 => format!("{}{mark}", "much ".repeat(400)),
            39..40 => format!("/new {mark}"),
            40..44 => format!("/standup {mark} and more"),
            44..45 => "/tired".to_owned(),
            _ => format!("what is {mark}?"),
        }
    }
}
