use super::*;
use foldback_channels::{platform, profile};

fn known(name: &str, status: ToolStatus) -> KnownCall {
    KnownCall {
        id: name.into(),
        name: named(name),
        status,
        since: SteadyTime::default(),
        took: Some(Duration::from_millis(40)),
    }
}

#[test]
fn a_line_names_the_latest_calls_and_counts_the_others() {
    let some = [
        known("search", ToolStatus::Completed),
        known("read", ToolStatus::Running),
    ];
    assert_eq!(line(&some, "…"), "🔧 `search` ✓ · `read`…");
    assert_eq!(line(&some, " –"), "🔧 `search` ✓ · `read` –");
    let many: Vec<_> = (0..9)
        .map(|n| known(&format!("t{n}"), ToolStatus::Failed))
        .collect();
    assert!(
        line(&many, "…").starts_with("🔧 3 more · `t3` ✗ · "),
        "{}",
        line(&many, "…")
    );
}

#[test]
fn what_is_shown_fits_into_a_message_of_its_channel() {
    for platform in platform::ALL {
        let limit = Limit::of(&profile(*platform));
        for letter in ["a", "ж", "漢", "𝒳", "&"] {
            let call = ToolCall {
                id: "t".into(),
                name: "t".to_owned(),
                status: ToolStatus::Failed,
                arguments: Some(letter.repeat(900)),
                result: Some(letter.repeat(900)),
            };
            let whole = whole(&known("t", ToolStatus::Failed), &call, Cow::Borrowed);
            let shown = fitting(whole.clone(), limit);
            assert!(limit.length(&shown) <= limit.max, "{platform} {letter}: {shown}");
            assert_eq!(
                shown.matches("```").count() % 2,
                0,
                "{platform} {letter}: {shown}"
            );
            let cut = limit.length(&whole) > limit.max;
            assert_eq!(shown.ends_with("\n…"), cut, "{platform} {letter}: {shown}");

            let thought = end_of(&format!("{}end", letter.repeat(1_500)), limit);
            assert!(
                limit.length(&thought) <= limit.max,
                "{platform} {letter}: {thought}"
            );
            assert!(
                thought.starts_with(&format!("💭 …{letter}")) && thought.ends_with("end"),
                "{platform} {letter}: {thought}"
            );
        }
        assert_eq!(end_of("Hm.", limit), "💭 Hm.");
    }
}

#[test]
fn of_what_was_thought_only_the_end_is_kept() {
    let (mut thought, mut most) = (String::new(), 0);
    for n in 0..100_000 {
        keep_end(&mut thought, &format!("é{n} "));
        most = most.max(thought.len());
    }
    assert!(thought.ends_with("é99998 é99999 "));
    assert!(
        (KEPT..=2 * KEPT).contains(&thought.len()) && most <= 2 * KEPT,
        "{most}"
    );
}

#[test]
fn what_is_long_is_cut_and_its_size_told() {
    let call = ToolCall {
        id: "t".into(),
        name: "t".to_owned(),
        status: ToolStatus::Failed,
        arguments: Some("{\"q\":\"```\"}".to_owned()),
        result: Some("x".repeat(5_000)),
    };
    let text = whole(&known("a`b", ToolStatus::Failed), &call, Cow::Borrowed);
    assert!(
        text.starts_with("🔧 `a'b` failed in 40 ms\n```\n{\"q\":\"'''\"}\n```\n```\nxxx"),
        "{text}"
    );
    assert!(text.ends_with("600 of 5000 bytes"), "{text}");
}
