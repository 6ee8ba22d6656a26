//! A run that asks for several things at once.

use super::*;

/// A request of its own id.
fn numbered(id: &str) -> PermissionRequest {
    serde_json::from_value(serde_json::json!({
        "id": id, "tool": null, "title": format!("do {id}"), "does": "delete", "arguments": null,
        "options": [
            {"id": "allow", "name": "Allow", "kind": "allow_once"},
            {"id": "reject", "name": "Reject", "kind": "reject_once"},
        ],
    }))
    .unwrap()
}

/// An agent that asks everything at once, and is done once it has every answer.
struct Greedy {
    requests: usize,
    open: Mutex<usize>,
    answered: Notify,
}

impl Greedy {
    async fn bot(requests: usize, config: &str) -> Bot {
        let greedy = Arc::new(Self {
            requests,
            open: Mutex::new(requests),
            answered: Notify::new(),
        });
        let world = World::new();
        let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        Bot::behind(world, config, Rules::all(), script, greedy).await
    }
}

#[async_trait]
impl Agent for Greedy {
    fn backend(&self) -> &'static str {
        "greedy"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    async fn run(&self, request: TurnRequest, sink: StepSink, _: CancellationToken) {
        let run = request.run;
        for n in 1..=self.requests {
            let step = Step::Permission(numbered(&format!("p{n}")));
            sink.send(AgentEvent { run, step }).await.unwrap();
        }
        self.answered.notified().await;
        let step = Step::Done(StopReason::End);
        sink.send(AgentEvent { run, step }).await.unwrap();
    }

    fn decide(&self, _: RunId, _: &PermissionId, _: Option<&PermissionOption>) {
        let mut open = self.open.lock().unwrap();
        *open -= 1;
        if *open == 0 {
            self.answered.notify_one();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn where_two_wait_an_answer_says_which() {
    let bot = Greedy::bot(2, IN_CHAT).await;
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    for words in ["yes", "/approve"] {
        let gate = Gate::WhichAsked;
        let blocked = Some(Terminal::Blocked { gate });
        assert_eq!(answers(&bot, "alice", words).await, blocked, "{words}");
    }
    let told = |kind: &Kind| {
        matches!(kind, Kind::Stopping { detail, .. }
            if detail.contains(&format!("{0}-1, {0}-2", turn.id)))
    };
    assert_eq!(bot.kinds().await.iter().filter(|kind| told(kind)).count(), 2);
    assert_eq!(bot.engine.permissions().len(), 2, "nothing is decided");
    let second = answers(&bot, "alice", &format!("/deny {}-2", turn.id)).await;
    assert!(matches!(second, Some(Terminal::Command { .. })), "{second:?}");
    soon().await;
    let session = only(&bot).session;
    let line = bot.engine.session(&session).await.unwrap().unwrap();
    assert_eq!(
        line.running.map(|running| running.doing),
        Some(RunActivity::Asking),
        "the other one is still waited for"
    );
    let first = answers(&bot, "alice", "yes").await;
    assert!(
        matches!(first, Some(Terminal::Command { .. })),
        "there is one only: {first:?}"
    );
    turn.ended().await.unwrap();
    let alice = Actor::User(UserId::from("alice"));
    let by = |option: &str| (alice.clone(), Some(option.to_owned()));
    assert_eq!(decisions(&bot).await, [by("reject"), by("allow")]);
}
#[tokio::test(start_paused = true)]
async fn a_run_has_only_so_many_people_asked_at_once() {
    let bot = Greedy::bot(40, "").await;
    let turn = bot.user(PLATFORM, "hi").await;
    soon().await;
    let waiting = bot.engine.permissions();
    assert_eq!(waiting.len(), 32);
    let refused = || (Actor::Pipeline, Some("reject".to_owned()));
    assert_eq!(
        decisions(&bot).await,
        vec![refused(); 8],
        "those that are too many"
    );
    for asked in waiting {
        let id = &asked.request.id;
        let decided = bot
            .engine
            .decide_permission(turn.id, id, Some("allow"), Actor::Console);
        decided.unwrap();
    }
    turn.ended().await.unwrap();
    let allowed = decisions(&bot)
        .await
        .into_iter()
        .filter(|(by, _)| *by == Actor::Console);
    assert_eq!(allowed.count(), 32);
    bot.check().await;
}
