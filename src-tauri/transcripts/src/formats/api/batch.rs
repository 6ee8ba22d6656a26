//! Batch files: questions and answers in any order, joined by `custom_id`.

use super::{
    history::{Histories, error_words},
    responses::Chain,
};
use crate::{
    json::{self, text},
    reading::Reading,
};
use serde_json::{Value, json};
use std::collections::HashMap;

/// Lines of a batch until the file ends.
#[derive(Default)]
pub(super) struct Batch {
    /// Ids in the order in which they first came.
    order: Vec<String>,
    questions: HashMap<String, Value>,
    answers: HashMap<String, Value>,
}

impl Batch {
    pub(super) fn add(&mut self, line: &Value, reading: &mut Reading) {
        let id = json::id(line, "custom_id").unwrap_or_default();
        if !self.questions.contains_key(&id) && !self.answers.contains_key(&id) {
            self.order.push(id.clone());
        }
        if let Some(question) = line.get("body") {
            self.questions.insert(id, question.clone());
            return;
        }
        let given = |key: &str| line.get(key).filter(|value| !value.is_null());
        let answer = match (given("response"), given("result"), given("error")) {
            (Some(response), ..) => response.get("body").unwrap_or(response).clone(),
            (None, Some(result), _) => match text(result, "type").unwrap_or_default() {
                "succeeded" => result.get("message").cloned().unwrap_or(Value::Null),
                "errored" => json!({"error": result.get("error").map(error_words)}),
                kind @ ("expired" | "canceled") => json!({"error": kind}),
                other => {
                    reading.unknown("result", other);
                    return;
                }
            },
            (None, None, Some(error)) => json!({"error": error}),
            (None, None, None) => {
                reading.unknown("line", "custom_id");
                return;
            }
        };
        self.answers.insert(id, answer);
    }

    /// Joins questions and answers.
    pub(super) fn finish(mut self, histories: &mut Histories, chain: &mut Chain, reading: &mut Reading) {
        let (mut without_question, mut without_answer) = (0, 0);
        for id in &self.order {
            let (question, answer) = (self.questions.remove(id), self.answers.remove(id));
            without_question += u32::from(question.is_none());
            without_answer += u32::from(answer.is_none());
            let is_response = answer
                .as_ref()
                .is_some_and(|answer| text(answer, "object") == Some("response"));
            if is_response {
                chain.add(question.as_ref(), answer.as_ref(), None, reading);
            } else {
                histories.add(question.as_ref(), answer.as_ref(), None, reading);
                histories.name_last(id);
            }
        }
        if without_question > 0 {
            reading.note(format!(
                "Answers whose question is in another file: {without_question}. Put the batch's input and output into one \
                 file to have both."
            ));
        }
        if without_answer > 0 {
            reading.note(format!(
                "Questions without an answer in this file: {without_answer}."
            ));
        }
    }
}
