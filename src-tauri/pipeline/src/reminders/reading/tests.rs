use super::*;
use serde_json::{Value, json};

const NOW: &str = "2026-11-29T19:00:00Z";

/// Read in Berlin, where it is 20:00.
fn read(payload: &Value) -> Result<ReadTimes, Findings> {
    let mut payload = payload.as_object().unwrap().clone();
    payload.insert("description".to_owned(), json!("Call Bob"));
    let payload = EventPayload::read(&payload).unwrap();
    read_times(&payload, "Europe/Berlin", Timestamp::parse(NOW).unwrap())
}

fn first(payload: &Value) -> String {
    let told = format!("{payload}");
    let read = read(payload).unwrap_or_else(|findings| panic!("{told}: {findings:?}"));
    read.first.to_string()[..16].to_owned()
}

/// The place that does not fit, the reason, and the change.
fn refused(payload: &Value) -> (String, String, String) {
    let told = format!("{payload}");
    let mut findings = read(payload).expect_err(&told);
    let PayloadFinding { at, problem, change } = findings.remove(0);
    (at, problem, change)
}

#[test]
fn a_date_counts_in_its_zone_and_has_a_time_of_its_own() {
    assert_eq!(
        first(&json!({"date": "2026-12-01", "time": "10:00"})),
        "2026-12-01T09:00"
    );
    assert_eq!(
        first(&json!({"date": "2026-12-01"})),
        "2026-12-01T08:00",
        "at nine where it names none"
    );
    assert_eq!(
        first(&json!({"date": "2026-12-01", "time": "9:05", "zone": "Asia/Tokyo"})),
        "2026-12-01T00:05"
    );
    let read = read(&json!({"date": "2026-12-01", "zone": "asia/tokyo", "repeat": "Monthly"})).unwrap();
    assert_eq!(read.zone, "Asia/Tokyo");
    assert_eq!(read.repeat, ReminderRepeat::Monthly);
}

/// A zone in brackets was dropped in silence, and a day alone was midnight.
#[test]
fn a_moment_with_a_zone_in_brackets_and_a_day_alone_are_refused() {
    for text in [
        "2026-12-24T09:00[Asia/Tokyo]",
        "2026-12-24T09:00+09:00[Asia/Tokyo]",
    ] {
        let (at, _, change) = refused(&json!({"send_at": text}));
        assert_eq!(at, "/send_at");
        assert!(change.contains("write the zone as zone"), "{change}");
    }
    let (at, problem, change) = refused(&json!({"send_at": "2026-12-24"}));
    assert_eq!(
        (at.as_str(), problem.as_str()),
        ("/send_at", "\"2026-12-24\" is a day without a time")
    );
    assert!(change.starts_with("use date"), "{change}");
    assert_eq!(first(&json!({"send_at": "2026-12-24 09:00"})), "2026-12-24T08:00");
}

#[test]
fn what_is_over_is_refused_with_the_time_that_it_is() {
    let (at, problem, change) = refused(&json!({"date": "2026-11-28", "time": "09:00"}));
    assert_eq!(at, "/date");
    assert_eq!(problem, "2026-11-28 09:00 in Europe/Berlin is over");
    assert_eq!(
        change,
        "name a time after 2026-11-29 20:00, which it is there now"
    );
    let (at, ..) = refused(&json!({"date": "2026-11-29", "time": "20:00"}));
    assert_eq!(at, "/time", "of today the time is over, not the day");
    let (at, ..) = refused(&json!({"date": "2026-11-01", "repeat": "daily"}));
    assert_eq!(at, "/date");
    let (at, ..) = refused(&json!({"send_at": "2026-11-29T19:59:59+01:00"}));
    assert_eq!(at, "/send_at");
}

#[test]
fn a_repetition_that_there_is_none_of_is_never_none() {
    let (at, problem, change) = refused(&json!({"date": "2026-12-01", "repeat": "always"}));
    assert_eq!(at, "/repeat");
    assert!(problem.contains("never end"), "{problem}");
    assert!(change.contains("daily"), "{change}");
    for wrong in ["yearly", "cron", "NEVER", "every day"] {
        let (at, problem, _) = refused(&json!({"date": "2026-12-01", "repeat": wrong}));
        assert_eq!(at, "/repeat", "{wrong}: {problem}");
    }
    for once in [json!("none"), json!(""), Value::Null] {
        let read = read(&json!({"date": "2026-12-01", "repeat": once})).unwrap();
        assert_eq!(read.repeat, ReminderRepeat::Once);
    }
}

#[test]
fn a_cron_expression_has_its_own_times_and_no_more_than_four_an_hour() {
    assert_eq!(first(&json!({"repeat": "0 9 * * MON-FRI"})), "2026-11-30T08:00");
    assert_eq!(
        first(&json!({"repeat": "0 9 * * *", "date": "2026-12-24"})),
        "2026-12-24T08:00"
    );
    assert_eq!(first(&json!({"repeat": "@daily"})), "2026-11-29T23:00");
    for (payload, at, words) in [
        (json!({"repeat": "*/5 * * * *"}), "/repeat", "every 15 minutes"),
        (json!({"repeat": "0 25 * * *"}), "/repeat", "no cron expression"),
        (
            json!({"repeat": "0 9 * * *", "time": "10:00"}),
            "/time",
            "its own times",
        ),
        (
            json!({"repeat": "0 9 * * *", "date": "2026-11-28"}),
            "/date",
            "is over",
        ),
    ] {
        let (place, problem, _) = refused(&payload);
        assert_eq!(place, at, "{problem}");
        assert!(problem.contains(words), "{problem}");
    }
}

/// The ancestor read the first unit of several, cut seconds off, and put a time of today that is over into the past.
#[test]
fn a_span_is_read_to_its_end_and_a_time_of_day_is_the_next_one() {
    for (span, wanted) in [
        ("1 hour 30 minutes", "2026-11-29T20:30"),
        ("90m", "2026-11-29T20:30"),
        ("2 days", "2026-12-01T19:00"),
        ("1 week", "2026-12-06T19:00"),
        ("10:30", "2026-11-29T19:10"),
    ] {
        assert_eq!(first(&json!({"send_in": span})), wanted, "{span}");
    }
    let seconds = read(&json!({"send_in": "45 seconds"})).unwrap();
    assert_eq!(seconds.first, Timestamp::parse("2026-11-29T19:00:45Z").unwrap());
    for wrong in ["0 minutes", "soon", "", "-5 minutes", "5", "10:90"] {
        let (at, ..) = refused(&json!({"send_in": wrong}));
        assert_eq!(at, "/send_in", "{wrong}");
    }
    for (moment, wanted) in [
        ("07:15", "2026-11-30T06:15"),
        ("20:01", "2026-11-29T19:01"),
        ("2026-12-24 09:00", "2026-12-24T08:00"),
        ("2026-12-24T09:00Z", "2026-12-24T09:00"),
        ("1798102800", "2026-12-24T09:00"),
    ] {
        assert_eq!(first(&json!({"send_at": moment})), wanted, "{moment}");
    }
    let (at, ..) = refused(&json!({"send_at": "tomorrow"}));
    assert_eq!(at, "/send_at");
}

#[test]
fn one_time_is_named_and_only_one() {
    for (payload, at) in [
        (json!({}), ""),
        (json!({"repeat": "daily"}), ""),
        (json!({"date": "2026-12-01", "send_in": "1h"}), ""),
        (json!({"send_in": "1h", "time": "10:00"}), "/time"),
        (json!({"date": "2026-02-30"}), "/date"),
        (json!({"date": "2026-12-01", "time": "24:00"}), "/time"),
        (json!({"date": "2026-12-01", "zone": "Europe/Bielefeld"}), "/zone"),
    ] {
        let told = format!("{payload}");
        assert_eq!(refused(&payload).0, at, "{told}");
    }
    let both = json!({"date": "2026-12-01", "zone": "Nowhere", "repeat": "always"});
    assert_eq!(
        read(&both).unwrap_err().len(),
        2,
        "all that is wrong is told at once"
    );
}

/// The clock shows 02:30 twice: a span is a span all the same.
#[test]
fn a_span_within_an_hour_that_comes_twice_is_not_shortened() {
    let payload = EventPayload::read(
        json!({"description": "x", "send_in": "10 minutes"})
            .as_object()
            .unwrap(),
    );
    let now = Timestamp::parse("2026-10-25T01:30:00Z").unwrap();
    let read = read_times(&payload.unwrap(), "Europe/Berlin", now).unwrap();
    assert_eq!(read.first, Timestamp::parse("2026-10-25T01:40:00Z").unwrap());
}
