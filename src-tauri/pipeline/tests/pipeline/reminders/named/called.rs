//! A chat that a native tool call names.

use super::{known, olga, open};
use crate::{
    bot::{Bot, World},
    reminders::set,
};
use async_trait::async_trait;
use foldback_agents::{
    ActionAnswer, ActionCall, Agent, AgentEvent, ScriptAgent, Step, StepSink, TurnRequest,
};
use foldback_pipeline::Rules;
use foldback_store::Journal as _;
use foldback_wire::{Kind, StopReason, TurnId};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A model with tools, which makes one call after the other.
struct Calling {
    calls: Mutex<Vec<(&'static str, Value)>>,
    answers: Mutex<Vec<ActionAnswer>>,
}

#[async_trait]
impl Agent for Calling {
    fn backend(&self) -> &'static str {
        "calling"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    fn takes_actions(&self) -> bool {
        true
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let run = request.run;
        let emit = async |step| drop(sink.send(AgentEvent { run, step }).await);
        let mine = self.calls.lock().unwrap().split_off(0);
        for (answer, (name, payload)) in (0..).zip(mine) {
            let (asked, answered) = ActionCall::new(None, name.to_owned(), payload.to_string(), answer);
            emit(Step::Action(asked)).await;
            let answer = answered.await.unwrap();
            self.answers.lock().unwrap().push(answer);
        }
        let text = "Hello.".to_owned();
        emit(Step::Text { message: None, text }).await;
        emit(Step::Done(StopReason::End)).await;
    }
}

fn remind(chat: &str) -> (&'static str, Value) {
    (
        "event",
        json!({"description": "Call Bob", "send_in": "1 hour", "chat": chat}),
    )
}

/// A bot that knows chats, and whose model makes these calls once Olga asks.
async fn asked<const N: usize>(calls: [(&'static str, Value); N]) -> (Bot, Vec<ActionAnswer>) {
    let model = Arc::new(Calling {
        calls: Mutex::default(),
        answers: Mutex::default(),
    });
    let world = World::new();
    let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
    let bot = Bot::behind(world, &open(), Rules::all(), script, Arc::clone(&model) as _).await;
    known(&bot).await;
    model.calls.lock().unwrap().extend(calls);
    olga(&bot, []).await;
    let answers = model.answers.lock().unwrap().clone();
    (bot, answers)
}

#[tokio::test(start_paused = true)]
async fn a_native_call_is_answered_with_the_candidates_and_called_again_in_the_same_run() {
    let (bot, answers) = asked([remind("Family"), remind("-1002")]).await;
    assert_eq!(answers.len(), 2);
    let refused: Value = serde_json::from_str(&answers[0].text).unwrap();
    assert!(answers[0].is_error && !answers[1].is_error, "{answers:?}");
    let told = refused["items"][0]["text"].as_str().unwrap();
    let told: Value = serde_json::from_str(told).unwrap();
    assert_eq!(
        (&told["code"], &told["findings"][0]["at"]),
        (&json!("payload_invalid"), &json!("/chat"))
    );
    let problem = told["findings"][0]["problem"].as_str().unwrap();
    assert!(
        problem.contains("-1001") && problem.contains("-1002"),
        "{problem}"
    );
    let set = set(&bot).await;
    assert_eq!(set[0].origin.chat.as_str(), "-1002");
    let last = TurnId(6);
    assert!(
        bot.journal
            .turn(last)
            .await
            .unwrap()
            .iter()
            .any(|event| matches!(event.kind, Kind::ReminderSet(_)))
    );
    bot.check().await;
}

/// The result of an action is in the run as soon as its call is answered.
#[tokio::test(start_paused = true)]
async fn a_call_behind_the_result_of_another_action_names_no_other_chat() {
    let (bot, answers) = asked([remind("Work"), ("event_list", json!({})), remind("-1002")]).await;
    assert_eq!(set(&bot).await.len(), 1, "the one before it");
    assert!(
        answers[2].is_error && answers[2].text.contains("turn_not_permitted"),
        "{answers:?}"
    );
    bot.check().await;
}
