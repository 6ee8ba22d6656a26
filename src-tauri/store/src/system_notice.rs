//! What the agent of a session is told of it, once.

use foldback_wire::Timestamp;
use serde::{Deserialize, Serialize};

/// Most notices that wait in a session; the oldest of more goes.
const MOST: usize = 20;
/// Most bytes of a notice.
const LONGEST: usize = 300;

/// A notice that goes into the next prompt of a session, and into no later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemNotice {
    /// When it came.
    pub at: Timestamp,
    /// What it is about, such as `run` or a setting: a later one about the same takes its place.
    pub about: String,
    /// Its words, in a sentence.
    pub text: String,
}

/// Adds a notice to those that wait.
pub fn add_notice(waiting: &mut Vec<SystemNotice>, mut notice: SystemNotice) {
    waiting.retain(|known| known.about != notice.about);
    if notice.text.len() > LONGEST {
        notice.text.truncate(notice.text.floor_char_boundary(LONGEST));
        notice.text.push('…');
    }
    waiting.push(notice);
    let over = waiting.len().saturating_sub(MOST);
    waiting.drain(..over);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(at: i64, about: &str, text: &str) -> SystemNotice {
        SystemNotice {
            at: Timestamp(at),
            about: about.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn they_are_few_short_and_the_latest_of_each_kind() {
        let mut waiting = Vec::new();
        add_notice(&mut waiting, notice(0, "think", "high"));
        add_notice(&mut waiting, notice(1, "run", &"ä".repeat(200)));
        add_notice(&mut waiting, notice(2, "think", "low"));
        let told: Vec<_> = waiting.iter().map(|notice| notice.about.as_str()).collect();
        assert_eq!(told, ["run", "think"]);
        assert!(waiting[0].text.len() <= LONGEST + '…'.len_utf8());
        for number in 0..50 {
            add_notice(&mut waiting, notice(3, &number.to_string(), "x"));
        }
        assert_eq!(waiting.len(), MOST);
        assert_eq!(waiting[0].about, "30");
    }
}
