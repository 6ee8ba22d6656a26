//! Actions of an answer, on virtual time: who may, who confirms, what is carried out once, and what the agent hears of it.

mod called;
mod chains;
mod cuts;
mod killed;
mod reading;
mod rights;
mod secrets;

use crate::bot::{Bot, World, parts, text};
use async_trait::async_trait;
use foldback_actions::{ActionDecision, ActionInterface, ActionOrder, ActionRow, ActionTable, ResultSink};
use foldback_agents::{Agent, ScriptAgent};
use foldback_channels::platform;
use foldback_pipeline::{Engine, Rules, Turn};
use foldback_store::Journal as _;
use foldback_wire::{
    ActionConfirmation, ActionRefusalCode, Actor, DeliveryRequest, Event, Kind, Platform, ResultItem,
    Terminal, TurnId, rpc::PendingPermission,
};
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

const TELEGRAM: Platform = platform::TELEGRAM;

/// Alice owns the bot, and its agent may act.
const OWNED: &str =
    "[commands]\nowner_allow_from = [\"alice\"]\n[output]\ndialects = [\"json\", \"actions\"]\n";

/// A secret that `leak` prints.
const LEAKED: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct ShellPayload {
    command: String,
}

/// An interface with the name and the payload of the terminal. `sleep` never ends; whatever else it is asked for it has done
/// at once. `leak` prints a secret.
#[derive(Default)]
pub(crate) struct Shell {
    /// The commands that were begun.
    begun: Mutex<Vec<String>>,
    /// Those whose future was dropped before they ended.
    dropped: Arc<Mutex<u32>>,
}

impl Shell {
    fn begun(&self) -> Vec<String> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn dropped(&self) -> u32 {
        *self.dropped.lock().unwrap()
    }
}

struct CountedDrop(Arc<Mutex<u32>>);

impl Drop for CountedDrop {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

#[async_trait]
impl ActionInterface for Shell {
    fn rows(&self) -> Vec<ActionRow> {
        vec![ActionRow {
            confirmation: ActionConfirmation::Listed,
            ..ActionRow::of::<ShellPayload>("bash", "Runs a command.")
        }]
    }

    fn decide(&self, _: &str, payload: &Map<String, Value>) -> ActionDecision {
        match payload["command"].as_str() {
            Some(command) if command.starts_with("df") => ActionDecision::AsDeclared,
            Some(command) if command.starts_with("rm") => ActionDecision::Denied {
                why: "it never runs".to_owned(),
                setting: "actions.bash.deny",
            },
            _ => ActionDecision::Allowed("actions.bash.allow"),
        }
    }

    fn command(&self, _: &str, payload: &Map<String, Value>) -> Option<String> {
        Some(payload["command"].as_str()?.to_owned())
    }

    async fn perform(&self, order: ActionOrder, mut results: ResultSink) {
        let command = order.payload["command"].as_str().unwrap().to_owned();
        self.begun.lock().unwrap().push(command.clone());
        if command == "sleep" {
            let _counted = CountedDrop(Arc::clone(&self.dropped));
            std::future::pending::<()>().await;
        }
        if command.starts_with("leak") {
            results.add(ResultItem::new(format!("file {LEAKED}"), format!("token {LEAKED}\n")).noted(LEAKED));
        }
        if command.ends_with("fail") {
            return results.fail(format!("the server refuses {LEAKED}"));
        }
        results.add(ResultItem::new("stdout", format!("did {command}\n")).exited(0));
        results.complete();
    }
}

/// The actions of that interface.
pub(crate) fn table(shell: &Arc<Shell>) -> Arc<ActionTable> {
    Arc::new(ActionTable::of(vec![Arc::clone(shell) as _]).unwrap())
}

/// A bot with that interface.
struct Acted {
    bot: Bot,
    shell: Arc<Shell>,
}

impl Acted {
    async fn start() -> Self {
        Self::with(OWNED).await
    }

    async fn with(settings: &str) -> Self {
        Self::in_world(World::new(), settings, Arc::default()).await
    }

    async fn in_world(world: World, settings: &str, shell: Arc<Shell>) -> Self {
        Self::answering(world, settings, shell, &[]).await
    }

    async fn answering(world: World, settings: &str, shell: Arc<Shell>, answers: &[&str]) -> Self {
        world.go_on().await;
        let agent = Arc::new(ScriptAgent::new(Arc::new(world.clock)).with_silence(Duration::from_hours(24)));
        for answer in answers {
            agent.queue(None, vec![text(answer)]);
        }
        let asked = Arc::clone(&agent) as _;
        Self::asking(world, settings, shell, agent, asked).await
    }

    /// One behind which another agent answers than the script.
    async fn behind(world: World, settings: &str, shell: Arc<Shell>, asked: Arc<dyn Agent>) -> Self {
        world.go_on().await;
        let script = Arc::new(ScriptAgent::new(Arc::new(world.clock)));
        Self::asking(world, settings, shell, script, asked).await
    }

    async fn asking(
        world: World,
        settings: &str,
        shell: Arc<Shell>,
        script: Arc<ScriptAgent>,
        asked: Arc<dyn Agent>,
    ) -> Self {
        let world = World {
            actions: table(&shell),
            ..world
        };
        let parts = parts(&world, settings, Rules::all(), asked);
        let engine = Engine::start(parts).await.unwrap();
        soon().await;
        let bot = Bot::around(world, engine, script);
        Self { bot, shell }
    }

    /// The agent's next answers.
    fn says(&self, answers: &[&str]) {
        for answer in answers {
            self.bot.says([text(answer)]);
        }
    }

    /// Alice writes, and the turn and all that it leads to ends.
    async fn asked(&self, words: &str) -> TurnId {
        let turn = self.bot.user(TELEGRAM, words).await;
        let id = turn.id;
        assert!(turn.ended().await.is_some());
        soon().await;
        id
    }

    /// Alice writes, and a confirmation is asked for.
    async fn asked_to_confirm(&self, words: &str) -> (Turn, PendingPermission) {
        let turn = self.bot.user(TELEGRAM, words).await;
        soon().await;
        let mut waiting = self.bot.engine.permissions();
        assert_eq!(waiting.len(), 1, "{waiting:?}");
        (turn, waiting.remove(0))
    }

    fn decide(&self, asked: &PendingPermission, option: &str) {
        let (turn, id) = (asked.turn, &asked.request.id);
        let decided = self
            .bot
            .engine
            .decide_permission(turn, id, Some(option), Actor::Console);
        decided.unwrap();
    }

    async fn refusals(&self) -> Vec<(TurnId, ActionRefusalCode)> {
        let refused = |event: Event| match event.kind {
            Kind::ActionRefused(refusal) => Some((event.turn?, refusal.code)),
            _ => None,
        };
        self.bot.events().await.into_iter().filter_map(refused).collect()
    }

    /// The id of the message that began a turn.
    async fn message_of(&self, turn: TurnId) -> String {
        let received = |event: Event| match event.kind {
            Kind::Received { message } if event.turn == Some(turn) => Some(message.message.to_string()),
            _ => None,
        };
        self.bot.events().await.into_iter().find_map(received).unwrap()
    }

    /// The words and the setting of each refusal as a dry run.
    async fn dry_runs(&self) -> Vec<(String, Option<String>)> {
        let refused = |kind| match kind {
            Kind::ActionRefused(refusal) if refusal.code == ActionRefusalCode::DryRun => {
                Some((refusal.detail, refusal.setting))
            }
            _ => None,
        };
        self.bot.kinds().await.into_iter().filter_map(refused).collect()
    }

    async fn codes(&self) -> Vec<ActionRefusalCode> {
        self.refusals().await.into_iter().map(|(_, code)| code).collect()
    }

    async fn deliveries(&self) -> Vec<DeliveryRequest> {
        let due = |kind| match kind {
            Kind::DeliveryDue(request) => Some(*request),
            _ => None,
        };
        self.bot.kinds().await.into_iter().filter_map(due).collect()
    }

    /// The last prompt.
    async fn prompt(&self) -> String {
        let prompt = |kind| match kind {
            Kind::Prepared { prompt } => Some(prompt),
            _ => None,
        };
        let kinds = self.bot.kinds().await;
        kinds.into_iter().filter_map(prompt).next_back().unwrap()
    }

    fn screen(&self) -> Vec<String> {
        self.bot.screen(TELEGRAM)
    }
}

async fn soon() {
    tokio::time::sleep(Duration::from_millis(5)).await;
}

/// An answer that asks for a command.
pub(crate) fn bash(command: &str) -> String {
    json!({"actions": [{"type": "bash", "payload": {"command": command}}]}).to_string()
}

/// The kinds of the events of actions and deliveries, with their turns.
async fn story(bot: &Bot) -> Vec<(TurnId, &'static str)> {
    let told = |event: &Event| {
        let code = match &event.kind {
            Kind::PermissionAsked { .. } => "asked",
            Kind::PermissionDecided { .. } => "decided",
            Kind::ActionRefused(_) => "refused",
            Kind::ActionStarted(_) => "started",
            Kind::ActionEnded(_) => "ended",
            Kind::DeliveryDue(_) => "due",
            Kind::TurnEnded { .. } => "turn ended",
            _ => return None,
        };
        Some((event.turn?, code))
    };
    bot.events().await.iter().filter_map(told).collect()
}

#[tokio::test(start_paused = true)]
async fn a_confirmed_command_runs_and_its_result_is_worded_as_a_reply_to_the_message() {
    let acted = Acted::start().await;
    acted.says(&[&bash("df -h"), "Half full."]);
    let (turn, asked) = acted.asked_to_confirm("how full is the disk?").await;
    let first = turn.id;
    assert_eq!(asked.request.title, "bash: df -h");
    assert_eq!(acted.shell.begun(), [""; 0], "it waits for the person");
    acted.decide(&asked, "allow_once");
    assert!(matches!(turn.ended().await, Some(Terminal::Silent { .. })));
    soon().await;
    assert_eq!(acted.shell.begun(), ["df -h"]);
    let request = acted.deliveries().await.remove(0);
    let message = request.origin.message.clone().unwrap();
    assert_eq!(acted.screen(), [format!("[to {message}] Half full.")]);
    assert_eq!((request.depth, request.cause), (1, Some(first)));
    assert_eq!(request.requester.id.as_str(), "alice");
    let prompt = acted.prompt().await;
    for part in ["## Action result", "df -h", "did df -h", "\"exit\":0"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let story = story(&acted.bot).await;
    let of_first: Vec<_> = story
        .iter()
        .filter(|(turn, _)| *turn == first)
        .map(|(_, code)| *code)
        .collect();
    assert_eq!(of_first, ["asked", "decided", "started", "ended", "turn ended"]);
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_list_allows_runs_without_a_confirmation_and_what_it_denies_never() {
    let acted = Acted::start().await;
    acted.says(&[&bash("uptime"), "Up.", &bash("rm -rf /"), "I may not."]);
    acted.asked("how long?").await;
    acted.asked("delete all").await;
    assert_eq!(acted.shell.begun(), ["uptime"]);
    assert_eq!(acted.codes().await, [ActionRefusalCode::Denied]);
    assert!(acted.prompt().await.contains("## Action error"));
    assert_eq!(
        acted.deliveries().await[1].corrections,
        None,
        "there is nothing to correct"
    );
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn what_a_person_rejects_or_leaves_open_does_not_run() {
    let acted = Acted::start().await;
    acted.says(&[&bash("df"), "You said no.", &bash("df"), "You said nothing."]);
    let (turn, asked) = acted.asked_to_confirm("how full?").await;
    acted.decide(&asked, "reject_once");
    turn.ended().await;
    soon().await;
    let (turn, _) = acted.asked_to_confirm("how full?").await;
    turn.ended().await;
    soon().await;
    assert_eq!(acted.shell.begun(), [""; 0]);
    assert_eq!(
        acted.codes().await,
        [ActionRefusalCode::Rejected, ActionRefusalCode::Unconfirmed]
    );
    assert_eq!(acted.screen().len(), 2);
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn several_actions_of_an_answer_are_carried_out_in_order_and_delivered_together() {
    let acted = Acted::start().await;
    let both = json!({"actions": [
        {"type": "bash", "payload": {"command": "one"}},
        {"type": "bsh", "payload": {"command": "two"}},
        {"type": "bash", "payload": {"command": "three"}},
    ]});
    acted.says(&[&both.to_string(), "Done."]);
    acted.asked("do").await;
    assert_eq!(acted.shell.begun(), ["one", "three"]);
    let request = acted.deliveries().await.remove(0);
    let labels: Vec<_> = request.items.iter().map(|item| item.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "1. bash: command",
            "1. bash: stdout",
            "2. bsh: refused",
            "3. bash: command",
            "3. bash: stdout"
        ]
    );
    assert!(
        request.items[2].text.contains("did you mean `bash`?"),
        "{request:?}"
    );
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn a_stopped_turn_drops_its_action_and_delivers_nothing() {
    let acted = Acted::start().await;
    acted.says(&[&bash("sleep")]);
    let turn = acted.bot.user(TELEGRAM, "sleep").await;
    soon().await;
    assert_eq!((acted.shell.begun().len(), acted.shell.dropped()), (1, 0));
    acted.bot.user(TELEGRAM, "/stop").await.ended().await;
    let ended = turn.ended().await;
    assert!(
        matches!(ended, Some(Terminal::Failed { .. })),
        "{ended:?} {:?}",
        story(&acted.bot).await
    );
    assert_eq!(acted.shell.dropped(), 1);
    assert!(acted.deliveries().await.is_empty());
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn one_that_takes_too_long_is_ended_and_told() {
    let acted = Acted::start().await;
    acted.says(&[&bash("sleep"), "It took too long."]);
    acted.asked("sleep").await;
    assert_eq!(acted.shell.dropped(), 1);
    assert!(acted.prompt().await.contains("stopped: it took longer than"));
    acted.bot.check().await;
}

#[tokio::test(start_paused = true)]
async fn without_an_interface_nothing_is_kept_and_nothing_runs() {
    let bot = Bot::with(OWNED).await;
    bot.says([text(&bash("df"))]);
    bot.turn(TELEGRAM, "how full?").await;
    let off = |kind: &Kind| matches!(kind, Kind::Action { outcome: Some(_), .. });
    assert!(bot.kinds().await.iter().any(off));
    assert!(bot.journal.turn(TurnId(2)).await.unwrap().is_empty());
    bot.check().await;
}
