//! The one list of commands. From it come the trait that every host implements or does not compile, the
//! dispatch of JSON calls, and the TypeScript that clients are written against.

use crate::failure;
use foldback_wire::rpc::{
    Ack, ActionChain, ArmChannel, Book, BookOf, Calendar, CalendarDays, Catalog, ChannelCard, ChannelReach,
    Completion, Compose, ComposePrepare, ComposeResult, ComposeSend, DeadTargetRef, DeliveryAnswer,
    DeliveryCall, DeliveryState, DemoPlay, DemoStop, DialectBench, DialectBenchResult, EventDetail,
    ExampleFile, ExportOf, ExportPreview, ExportResult, ExportTo, Failure, FaultDeck, FaultPlan, FaultRemove,
    FilterCheck, FilterComplete, FilterText, Find, FindNext, FindNextResult, FindResult, FindTurn,
    FindTurnResult, FixtureAccept, FixtureCancel, FixtureEntry, FixtureFromTurn, FixtureJunit, FixtureRead,
    FixtureRun, FixtureStarted, FixtureText, FixtureWrite, HookLine, LinkText, LogLine, Moment, MomentAt,
    Mute, Nothing, OpenView, PairingCode, PairingRevoke, Pairings, Pause, PendingPermission,
    PermissionDecide, PermissionRef, PreparedMessage, QueueLab, QueueLabResult, ReachOf, Recut, RecutCancel,
    RecutFixture, RecutStarted, ReleaseHeld, ReminderRef, ReportTo, Resend, Ruler, SchedulePause,
    ScheduleRef, Secrets, SendResult, SeqRef, SessionCancel, SessionDetail, SessionDrop, SessionLine,
    SessionList, SessionQuery, SessionRef, SessionReorder, ShellLine, ShellRef, ShellScreen, Status,
    SwitchChannel, TurnDetail, TurnLink, TurnList, TurnRef, TurnSummary, ViewOpened, ViewRef, VoiceOf,
    VoiceSound, Why, WhyQuestion, Window, Workspace, WorkspaceClose, WorkspaceOpen,
};
use foldback_wire::{DeadTarget, PermissionRequest, ReminderLine, ScheduleLine};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::future::Future;

/// Declares the commands: `name(Arguments) -> Answer: "what it does"`.
macro_rules! commands {
    ($( $name:ident($args:ty) -> $answer:ty : $about:literal; )+) => {
        /// Every command, as a method. Whoever implements this can be asked by desktop, command line and server.
        pub trait Commands: Send + Sync {
            $(
                #[doc = $about]
                fn $name(&self, args: $args) -> impl Future<Output = Result<$answer, Failure>> + Send;
            )+
        }

        /// Names of all commands, in the order of the contract.
        pub const COMMANDS: &[&str] = &[$(stringify!($name)),+];

        /// Performs the command `name` with JSON arguments.
        ///
        /// # Errors
        /// What the command itself answers; `unknown_command`; `bad_arguments` when `args` has another shape.
        pub async fn call<C: Commands>(host: &C, name: &str, args: Value) -> Result<Value, Failure> {
            match name {
                $( stringify!($name) => answer(name, host.$name(arguments(name, args)?).await?), )+
                _ => Err(failure::unknown_command(name)),
            }
        }

        /// Shows every command's types to `visitor`, in the order of the contract.
        pub fn signatures(visitor: &mut impl Signatures) {
            $( visitor.command::<$args, $answer>(Signature { name: stringify!($name), about: $about }); )+
        }
    };
}

/// A command without its types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// Something that wants to see the types of every command.
pub trait Signatures {
    /// One command.
    fn command<A: ts_rs::TS + 'static, R: ts_rs::TS + 'static>(&mut self, signature: Signature);
}

commands! {
    catalog(Nothing) -> Catalog: "The closed sets, as data.";
    status(Nothing) -> Status: "The figures of the top bar.";
    view_open(OpenView) -> ViewOpened: "Opens a window over the journal.";
    view_close(ViewRef) -> Nothing: "Closes a window over the journal.";
    view_window(Window) -> Nothing: "Says which rows of a view are on the screen.";
    view_ack(Ack) -> Nothing: "Acknowledges a frame.";
    view_pause(Pause) -> Nothing: "Stops or resumes the frames of a view; capture goes on.";
    view_find(Find) -> FindResult: "Finds the row of an event in a view.";
    view_find_next(FindNext) -> FindNextResult: "Finds the nearest event of a view that passes one more condition.";
    view_find_turn(FindTurn) -> FindTurnResult: "Finds the row of a turn in a view of turns.";
    event(SeqRef) -> EventDetail: "One event in full.";
    filter_check(FilterText) -> FilterCheck: "Whether a text is a filter.";
    filter_complete(FilterComplete) -> Vec<Completion>: "What could stand at the cursor of a filter.";
    turns(TurnList) -> Vec<TurnSummary>: "The latest turns, newest first.";
    turn(TurnRef) -> TurnDetail: "Everything about a turn.";
    turn_run_again(TurnRef) -> TurnRef: "Runs the message of a turn again that failed or found no room; answers the new turn.";
    turn_at(MomentAt) -> Moment: "A turn as it was at a moment.";
    action_chain(TurnRef) -> ActionChain: "The turns that actions link with a turn, from the message that began them to what was sent.";
    why(WhyQuestion) -> Why: "Why the bot did, or did not, say something.";
    compose(Compose) -> ComposeResult: "Reads, lints and previews an agent's output.";
    ruler(TurnRef) -> Ruler: "How the messages of a turn fill what its channel takes.";
    voice(VoiceOf) -> VoiceSound: "The sound of a voice note: one that is kept, or of words that are spoken now.";
    recut(Recut) -> RecutStarted: "Cuts an output in many ways, to see whether any changes what the user sees.";
    recut_cancel(RecutCancel) -> Nothing: "Stops a run of re-cuts.";
    recut_fixture(RecutFixture) -> FixtureText: "Makes a fixture of an output in certain chunks.";
    dialect_bench(DialectBench) -> DialectBenchResult: "Reads an output under several settings.";
    secrets(Nothing) -> Secrets: "The kinds of secrets there are, and which of them are masked.";
    compose_send(ComposeSend) -> SendResult: "Sends a message through the whole pipeline of a channel.";
    compose_prepare(ComposePrepare) -> PreparedMessage: "Takes a message through all stages to the prompt; nothing is kept, and no agent is asked.";
    queue_lab(QueueLab) -> QueueLabResult: "Sends messages into a conversation on a virtual clock, to see what the queue makes of them.";
    fixtures(Nothing) -> Vec<FixtureEntry>: "The fixtures there are, by path.";
    fixture_read(FixtureRead) -> FixtureText: "The text of a fixture.";
    fixture_write(FixtureWrite) -> FixtureEntry: "Stores a fixture.";
    fixture_run(FixtureRun) -> FixtureStarted: "Runs fixtures; their progress is pushed.";
    fixture_cancel(FixtureCancel) -> Nothing: "Stops a run of fixtures.";
    fixture_accept(FixtureAccept) -> FixtureText: "Takes what came as a fixture's expectation.";
    fixture_from_turn(FixtureFromTurn) -> FixtureText: "Makes a fixture that plays a turn again.";
    fixture_junit(FixtureJunit) -> ExportResult: "Writes cases of a run to a file as JUnit XML.";
    export_preview(ExportOf) -> ExportPreview: "What an export would hold, and what redaction takes out of it.";
    export(ExportTo) -> ExportResult: "Writes turns to a file: recording, fixture, Markdown or HTML.";
    report(ReportTo) -> ExportResult: "Writes the shift report of a time range to a file.";
    channels(Nothing) -> Vec<ChannelCard>: "All channels, in the order of the configuration.";
    channel_switch(SwitchChannel) -> ChannelCard: "Switches a channel on or off.";
    channel_reach(ReachOf) -> ChannelReach: "What arming a channel would let loose: chats, rate, what waits.";
    channel_arm(ArmChannel) -> ChannelCard: "Lets a channel send for real, or only pretend.";
    pairings(Nothing) -> Pairings: "Who asked to talk to the bot, and whom an operator let in.";
    pairing_approve(PairingCode) -> Pairings: "Lets in whoever has this code.";
    pairing_refuse(PairingCode) -> Pairings: "Refuses whoever has this code.";
    pairing_revoke(PairingRevoke) -> Pairings: "Takes an approval back.";
    shells(Nothing) -> Vec<ShellLine>: "The shells that are kept between commands, the oldest first.";
    shell_screen(ShellRef) -> ShellScreen: "The screen of a shell.";
    shell_end(ShellRef) -> Vec<ShellLine>: "Ends a shell, with everything that it started.";
    permissions(Nothing) -> Vec<PendingPermission>: "Requests for permission that wait for a person, the oldest first.";
    permission_uncover(PermissionRef) -> PermissionRequest: "Shows a request for permission whole and without masks.";
    permission_decide(PermissionDecide) -> Vec<PendingPermission>: "Answers a request for permission.";
    sessions(SessionQuery) -> SessionList: "The conversations: those at work first, then the one used last.";
    session_cancel(SessionCancel) -> SessionLine: "Stops the turn that runs in a conversation, or only the one that is named.";
    session_drop(SessionDrop) -> SessionLine: "Drops what waits in a conversation, or some of it.";
    session_reset(SessionRef) -> SessionLine: "Has the agent forget a conversation: its next turn begins a new one.";
    session_detail(SessionRef) -> SessionDetail: "A conversation in full: settings with their sources, what was set, what waits, tokens, and what a reset keeps.";
    session_reorder(SessionReorder) -> SessionDetail: "Puts what waits in a conversation into another order.";
    schedules(Nothing) -> Vec<ScheduleLine>: "The schedules of the configuration: what comes next, and what each said.";
    schedule_run(ScheduleRef) -> Vec<ScheduleLine>: "Begins a schedule now.";
    schedule_pause(SchedulePause) -> Vec<ScheduleLine>: "Pauses a schedule, or lets it go on.";
    reminders(Nothing) -> Vec<ReminderLine>: "The reminders that are set, those that are due next first, and the latest that are over.";
    reminder_cancel(ReminderRef) -> Vec<ReminderLine>: "Cancels a reminder: it is due no more.";
    calendar(CalendarDays) -> Calendar: "What schedules and reminders are to come on some days.";
    deliver(DeliveryCall) -> DeliveryAnswer: "Delivers what an action produced, what came due or what went wrong to the agent, in a turn of its own.";
    delivery_state(Nothing) -> DeliveryState: "The chats that take nothing more, and how much of the budgets of deliveries is used.";
    dead_targets(Nothing) -> Vec<DeadTarget>: "The chats that their platforms take nothing more for: deliveries to them are refused.";
    dead_target_revive(DeadTargetRef) -> Vec<DeadTarget>: "Accepts deliveries to such a chat again.";
    hooks(Nothing) -> Vec<HookLine>: "The hooks of the configuration: what they are told, what waits, and what failed.";
    mute(Mute) -> Status: "Holds back all outbound, or lets it go.";
    demo_play(DemoPlay) -> Status: "Plays the demo: goes on after a pause, begins after an end.";
    demo_stops(Nothing) -> Vec<DemoStop>: "The turns of the demo that the guided tour stops at.";
    demo_pause(Nothing) -> Status: "Pauses the demo: none of its messages comes in until it is played again.";
    release_held(ReleaseHeld) -> ChannelCard: "Sends or gives up what was held for too long.";
    faults(Nothing) -> Vec<FaultDeck>: "What is planned to go wrong, by channel and by agent.";
    fault_plan(FaultPlan) -> Vec<FaultDeck>: "Plans that calls of a channel, or runs of an agent, go wrong.";
    fault_remove(FaultRemove) -> Vec<FaultDeck>: "Removes a planned fault.";
    deliveries(BookOf) -> Book: "The delivery ledger of a channel, or of all: unmatched, dead letters, acknowledged.";
    resend(Resend) -> SendResult: "Sends a dead letter again, as a turn of its own; once.";
    workspaces(Nothing) -> Vec<Workspace>: "The files that are open beside the live bot, the first opened first.";
    examples(Nothing) -> Vec<ExampleFile>: "Recordings and files of other systems that came with the program, to be opened.";
    workspace_open(WorkspaceOpen) -> Workspace: "Opens files in a workspace of their own.";
    workspace_close(WorkspaceClose) -> Vec<Workspace>: "Closes a workspace.";
    link_read(LinkText) -> TurnLink: "Where a link leads.";
    link_write(TurnLink) -> LinkText: "The link to a moment of a turn.";
    log_tail(Nothing) -> Vec<LogLine>: "The latest lines of the app's own log, oldest first.";
}

fn arguments<A: DeserializeOwned>(name: &str, args: Value) -> Result<A, Failure> {
    serde_json::from_value(args).map_err(|e| failure::bad_arguments(name, &e))
}

fn answer(name: &str, answer: impl Serialize) -> Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|e| failure::internal(&format!("the answer of `{name}`: {e}")))
}
