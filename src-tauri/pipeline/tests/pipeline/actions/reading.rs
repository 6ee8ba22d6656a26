//! Answers that an ancestor read wrongly: what of them runs, and what is text for the person. The numbers are those of the
//! list of its defects (`docs/coverage-auto-response.md`).

use super::{Acted, bash};
use foldback_wire::ActionRefusalCode;

/// The outcome of an answer: the commands that ran, the refusals, and what the person read of the answer itself.
async fn answered(answer: &str) -> (Vec<String>, Vec<ActionRefusalCode>, Vec<String>) {
    let acted = Acted::start().await;
    acted.says(&[answer, "And so on."]);
    acted.asked("do").await;
    let screen = acted.screen().into_iter();
    let screen = screen.filter(|text| !text.ends_with("And so on.")).collect();
    acted.bot.check().await;
    (acted.shell.begun(), acted.codes().await, screen)
}

/// It is text: the person reads it as it stands, and nothing runs.
async fn is_text(answer: &str) {
    let (ran, refused, screen) = answered(answer).await;
    assert_eq!((ran, refused), (vec![], vec![]), "{answer}");
    assert_eq!(screen, [answer]);
}

/// These commands run, in this order, and this is what the person reads of it.
async fn runs(answer: &str, commands: &[&str], shown: &[&str]) {
    let (ran, refused, screen) = answered(answer).await;
    assert_eq!(ran, commands, "{answer}");
    assert_eq!(
        (refused, screen),
        (vec![], shown.iter().map(|text| (*text).to_owned()).collect())
    );
}

#[tokio::test(start_paused = true)]
async fn pitfall_37_of_a_bare_list_none_is_carried_out_alone() {
    let one = r#"{"type": "bash", "payload": {"command": "one"}}"#;
    is_text(&format!("[{one}, {one}]")).await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_38_actions_in_the_middle_of_a_sentence_are_shown_and_none_is_lost_silently() {
    is_text(&format!("Here is {}", bash("one"))).await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_39_of_two_values_both_are_carried_out_in_order() {
    let longer = bash("two and more words");
    runs(
        &format!("{}\n{longer}", bash("one")),
        &["one", "two and more words"],
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_40_braces_before_a_value_spoil_nothing() {
    runs(&format!("{{x}}\n{}", bash("one")), &["one"], &["{x}"]).await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_41_a_list_of_numbers_is_no_list_of_actions() {
    is_text("Options: [1,2,3]").await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_42_a_form_that_is_not_ours_is_text() {
    is_text(r#"{"action": "bash", "action_input": {"command": "one"}}"#).await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_43_a_command_beside_the_payload_is_refused_and_the_agent_is_told_where_it_belongs() {
    let acted = Acted::start().await;
    let beside = r#"{"actions": [{"type": "bash", "command": "one"}]}"#;
    acted.says(&[beside, &bash("one"), "Done."]);
    acted.asked("do").await;
    assert_eq!(acted.codes().await, [ActionRefusalCode::PayloadInvalid]);
    let told = acted.deliveries().await.remove(0).items.remove(0).text;
    assert!(told.contains("add \\\"command\\\" to the payload"), "{told}");
    assert_eq!(acted.shell.begun(), ["one"]);
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_44_names_as_keys_run_nothing_and_nothing_twice() {
    is_text(r#"{"bash": {"command": "one"}}"#).await;
    let both =
        r#"{"actions": [{"type": "bash", "payload": {"command": "one"}}], "bash": {"command": "one"}}"#;
    runs(both, &["one"], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_45_an_empty_list_of_actions_is_silence_and_other_empty_values_are_text() {
    is_text("{}").await;
    is_text("[]").await;
    runs(r#"{"actions": []}"#, &[], &[]).await;
}

#[tokio::test(start_paused = true)]
async fn pitfall_47_a_fence_is_read_wherever_it_stands() {
    for fence in ["json", "JSON", ""] {
        let answer = format!("I look.\n\n```{fence}\n{}\n```\n\nWait.", bash("one"));
        let (ran, refused, screen) = answered(&answer).await;
        assert_eq!((ran, refused), (vec!["one".to_owned()], vec![]), "{fence}");
        assert!(!screen.concat().contains("actions"), "{screen:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn pitfall_31_words_of_our_own_in_a_sentence_swallow_nothing() {
    for sentence in [
        r#"The key "system_message" tells of an error."#,
        r#"[ERROR] is what the log says: "error_report"."#,
    ] {
        is_text(sentence).await;
    }
}

#[tokio::test(start_paused = true)]
async fn pitfall_29_an_answer_whose_actions_all_failed_is_told_as_an_error() {
    let acted = Acted::start().await;
    acted.says(&[&bash("rm -rf /"), "I may not."]);
    acted.asked("delete").await;
    let request = acted.deliveries().await.remove(0);
    assert_eq!(request.outcome, foldback_wire::DeliveryOutcome::Error);
    assert!(acted.prompt().await.contains("## Action error"));
}

/// One action by itself, as an ancestor's agents write it.
fn alone(command: &str) -> String {
    format!(r#"{{"type": "bash", "payload": {{"command": "{command}"}}}}"#)
}

#[tokio::test(start_paused = true)]
async fn an_action_by_itself_is_carried_out_whole_fenced_and_on_a_line() {
    let one = alone("one");
    runs(&one, &["one"], &[]).await;
    runs(&format!("```json\n{one}\n```"), &["one"], &[]).await;
    runs(&format!("I look.\n{one}\nWait."), &["one"], &["I look.\nWait."]).await;
    runs(
        &format!("{one}\n{}\n{}", alone("two"), bash("three")),
        &["one", "two", "three"],
        &[],
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn what_only_begins_like_an_action_is_text() {
    for example in [
        r#"{"type": "object", "properties": {"command": {"type": "string"}}}"#,
        r#"{"type": "push", "payload": {"commits": 1}, "repository": "x"}"#,
        r#"{"type": "push", "payload": "one"}"#,
        r#"{"type": "event", "name": "click"}"#,
        r#"{"type": "bash", "command": "one"}"#,
        r#"{"type": "bash"}"#,
    ] {
        is_text(example).await;
    }
}

/// The name of an action, also of one that is off, and a payload: whatever is wrong with it, the person does not see it.
#[tokio::test(start_paused = true)]
async fn what_names_an_action_and_is_none_goes_back_to_the_agent() {
    for malformed in [
        r#"{"type": "bash", "payload": "one"}"#,
        r#"{"type": "bash", "payload": {"command": "one"}, "id": "1"}"#,
        r#"{"type": "bash", "id": "1", "payload": {"command": "one"}}"#,
        r#"{"type": "event", "payload": "tomorrow"}"#,
        "```json\n{\"type\": \"bash\", \"payload\": \"one\"}\n```",
    ] {
        let acted = Acted::start().await;
        acted.says(&[malformed, &alone("one"), "Done."]);
        acted.asked("do").await;
        assert_eq!(
            acted.codes().await,
            [ActionRefusalCode::Unreadable],
            "{malformed}"
        );
        assert_eq!(acted.shell.begun(), ["one"], "{malformed}");
        assert!(!acted.screen().concat().contains("payload"), "{malformed}");
        acted.bot.check().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_action_by_itself_that_cannot_be_read_goes_back_to_the_agent() {
    let acted = Acted::start().await;
    acted.says(&[
        r#"{"type": "bash", "payload": {"command": "one"}"#,
        &alone("one"),
        "Done.",
    ]);
    acted.asked("do").await;
    assert_eq!(acted.codes().await, [ActionRefusalCode::Unreadable]);
    assert_eq!(acted.shell.begun(), ["one"]);
    assert!(!acted.screen().concat().contains("payload"));
    acted.bot.check().await;
}
