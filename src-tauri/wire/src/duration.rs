//! Spans of time as people say them.

use std::time::Duration;

/// Units from a minute on, with their seconds.
const UNITS: [(&str, u64); 3] = [("day", 86_400), ("hour", 3_600), ("minute", 60)];

/// A span in words: `0.5 seconds`, `5 minutes`, `1 hour 30 minutes`. Of what is a minute or longer the two largest units are
/// told.
pub fn duration_in_words(duration: Duration) -> String {
    if duration < Duration::from_mins(1) {
        return in_seconds(duration);
    }
    let mut left = duration.as_secs();
    let mut told = Vec::new();
    for (unit, seconds) in UNITS {
        if left >= seconds {
            told.push(counted(left / seconds, unit));
            left %= seconds;
        }
    }
    if left > 0 {
        told.push(counted(left, "second"));
    }
    told.truncate(2);
    told.join(" ")
}

fn in_seconds(duration: Duration) -> String {
    let thousandths = format!("{:03}", duration.subsec_millis());
    let seconds = duration.as_secs();
    match thousandths.trim_end_matches('0') {
        "" => counted(seconds, "second"),
        part => format!("{seconds}.{part} seconds"),
    }
}

fn counted(number: u64, unit: &str) -> String {
    match number {
        1 => format!("1 {unit}"),
        number => format!("{number} {unit}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_its_largest_units() {
        for (ms, words) in [
            (0, "0 seconds"),
            (500, "0.5 seconds"),
            (1_000, "1 second"),
            (1_050, "1.05 seconds"),
            (60_000, "1 minute"),
            (90_500, "1 minute 30 seconds"),
            (300_000, "5 minutes"),
            (5_400_000, "1 hour 30 minutes"),
            (86_461_000, "1 day 1 minute"),
            (2_592_000_000, "30 days"),
        ] {
            assert_eq!(duration_in_words(Duration::from_millis(ms)), words);
        }
    }
}
