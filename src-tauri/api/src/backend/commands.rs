//! The commands of the contract, answered by the host.

use super::Backend;
use crate::{Commands, catalog::catalog, failure};
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

impl Commands for Backend {
    async fn catalog(&self, _: Nothing) -> Result<Catalog, Failure> {
        Ok(catalog(self.engine().config(), self.engine().actions()))
    }

    async fn status(&self, _: Nothing) -> Result<Status, Failure> {
        Ok(self.figures())
    }

    async fn view_open(&self, wish: OpenView) -> Result<ViewOpened, Failure> {
        self.open_view(&wish)
    }

    async fn view_close(&self, view: ViewRef) -> Result<Nothing, Failure> {
        self.close_view(view.view);
        Ok(Nothing {})
    }

    async fn view_window(&self, window: Window) -> Result<Nothing, Failure> {
        self.look(&window).map(|()| Nothing {})
    }

    async fn view_ack(&self, ack: Ack) -> Result<Nothing, Failure> {
        self.drawn(&ack).map(|()| Nothing {})
    }

    async fn view_pause(&self, pause: Pause) -> Result<Nothing, Failure> {
        self.pause_view(&pause).map(|()| Nothing {})
    }

    async fn view_find(&self, find: Find) -> Result<FindResult, Failure> {
        self.find(find).await
    }

    async fn view_find_next(&self, find: FindNext) -> Result<FindNextResult, Failure> {
        self.find_next(find).await
    }

    async fn view_find_turn(&self, find: FindTurn) -> Result<FindTurnResult, Failure> {
        self.find_turn(find).await
    }

    async fn event(&self, place: SeqRef) -> Result<EventDetail, Failure> {
        self.one_event(place.seq).await
    }

    async fn filter_check(&self, filter: FilterText) -> Result<FilterCheck, Failure> {
        Ok(self.check_filter(&filter.text))
    }

    async fn filter_complete(&self, wish: FilterComplete) -> Result<Vec<Completion>, Failure> {
        Ok(self.complete_filter(&wish))
    }

    async fn turns(&self, list: TurnList) -> Result<Vec<TurnSummary>, Failure> {
        self.list(list).await
    }

    async fn turn(&self, which: TurnRef) -> Result<TurnDetail, Failure> {
        self.detail(which.turn).await
    }

    async fn turn_at(&self, at: MomentAt) -> Result<Moment, Failure> {
        self.moment(at).await
    }

    async fn action_chain(&self, which: TurnRef) -> Result<ActionChain, Failure> {
        self.chain(which.turn).await
    }

    async fn why(&self, question: WhyQuestion) -> Result<Why, Failure> {
        self.explain(&question.about).await
    }

    async fn compose(&self, compose: Compose) -> Result<ComposeResult, Failure> {
        self.read(compose).await
    }

    async fn turn_run_again(&self, which: TurnRef) -> Result<TurnRef, Failure> {
        self.check_live()?;
        self.run_turn_again(which).await
    }

    async fn ruler(&self, which: TurnRef) -> Result<Ruler, Failure> {
        self.rule(which.turn).await
    }

    async fn voice(&self, of: VoiceOf) -> Result<VoiceSound, Failure> {
        self.sound_of(of).await
    }

    async fn recut(&self, wish: Recut) -> Result<RecutStarted, Failure> {
        self.start_recut(wish).await
    }

    async fn recut_cancel(&self, which: RecutCancel) -> Result<Nothing, Failure> {
        self.cancel_run(which.run).map(|()| Nothing {})
    }

    async fn recut_fixture(&self, wish: RecutFixture) -> Result<FixtureText, Failure> {
        self.fixture_of_cut(wish).await
    }

    async fn dialect_bench(&self, wish: DialectBench) -> Result<DialectBenchResult, Failure> {
        self.bench(wish).await
    }

    async fn secrets(&self, _: Nothing) -> Result<Secrets, Failure> {
        Ok(self.list_secrets())
    }

    async fn compose_send(&self, send: ComposeSend) -> Result<SendResult, Failure> {
        self.check_live()?;
        self.send(send).await
    }

    async fn compose_prepare(&self, prepare: ComposePrepare) -> Result<PreparedMessage, Failure> {
        self.prepare(prepare).await
    }

    async fn queue_lab(&self, lab: QueueLab) -> Result<QueueLabResult, Failure> {
        super::queue_lab::run(lab).await
    }

    async fn fixtures(&self, _: Nothing) -> Result<Vec<FixtureEntry>, Failure> {
        self.list_fixtures().await
    }

    async fn fixture_read(&self, which: FixtureRead) -> Result<FixtureText, Failure> {
        self.read_fixture(which.path).await
    }

    async fn fixture_write(&self, fixture: FixtureWrite) -> Result<FixtureEntry, Failure> {
        self.write_fixture(fixture).await
    }

    async fn fixture_run(&self, which: FixtureRun) -> Result<FixtureStarted, Failure> {
        self.run_fixtures(which).await
    }

    async fn fixture_cancel(&self, which: FixtureCancel) -> Result<Nothing, Failure> {
        self.cancel_run(which.run).map(|()| Nothing {})
    }

    async fn fixture_accept(&self, which: FixtureAccept) -> Result<FixtureText, Failure> {
        self.accept_fixture(which.path).await
    }

    async fn fixture_from_turn(&self, which: FixtureFromTurn) -> Result<FixtureText, Failure> {
        self.fixture_from(which.turn).await
    }

    async fn fixture_junit(&self, junit: FixtureJunit) -> Result<ExportResult, Failure> {
        self.write_junit(junit).await
    }

    async fn export_preview(&self, of: ExportOf) -> Result<ExportPreview, Failure> {
        self.preview_export(of).await
    }

    async fn export(&self, to: ExportTo) -> Result<ExportResult, Failure> {
        self.export_to(to).await
    }

    async fn report(&self, to: ReportTo) -> Result<ExportResult, Failure> {
        self.report_to(to).await
    }

    async fn channels(&self, _: Nothing) -> Result<Vec<ChannelCard>, Failure> {
        self.cards().await
    }

    async fn channel_switch(&self, wish: SwitchChannel) -> Result<ChannelCard, Failure> {
        self.check_live()?;
        self.switch(wish).await
    }

    async fn channel_reach(&self, of: ReachOf) -> Result<ChannelReach, Failure> {
        self.reach(&of.channel).await
    }

    async fn channel_arm(&self, wish: ArmChannel) -> Result<ChannelCard, Failure> {
        self.check_live()?;
        self.arm(wish).await
    }

    async fn pairings(&self, _: Nothing) -> Result<Pairings, Failure> {
        Ok(self.list_pairings())
    }

    async fn pairing_approve(&self, wish: PairingCode) -> Result<Pairings, Failure> {
        self.check_live()?;
        let by = self.shared.actor.clone();
        self.decide_pairing(&wish.code, true, by).await
    }

    async fn pairing_refuse(&self, wish: PairingCode) -> Result<Pairings, Failure> {
        self.check_live()?;
        let by = self.shared.actor.clone();
        self.decide_pairing(&wish.code, false, by).await
    }

    async fn pairing_revoke(&self, wish: PairingRevoke) -> Result<Pairings, Failure> {
        self.check_live()?;
        let by = self.shared.actor.clone();
        self.revoke_pairing(&wish.channel, &wish.sender, by).await
    }

    async fn shells(&self, _: Nothing) -> Result<Vec<ShellLine>, Failure> {
        Ok(self.list_shells())
    }

    async fn shell_screen(&self, which: ShellRef) -> Result<ShellScreen, Failure> {
        self.screen_of(which)
    }

    async fn shell_end(&self, which: ShellRef) -> Result<Vec<ShellLine>, Failure> {
        self.check_live()?;
        self.end_shell(which)
    }

    async fn permissions(&self, _: Nothing) -> Result<Vec<PendingPermission>, Failure> {
        Ok(self.shared.engine.permissions())
    }

    async fn permission_uncover(&self, which: PermissionRef) -> Result<PermissionRequest, Failure> {
        let PermissionRef { turn, permission } = which;
        let request = self.shared.engine.uncover_permission(turn, &permission);
        request.map_err(|fault| failure::no_permission(&fault))
    }

    async fn permission_decide(&self, wish: PermissionDecide) -> Result<Vec<PendingPermission>, Failure> {
        self.check_live()?;
        self.decide_permission(&wish)
    }

    async fn sessions(&self, query: SessionQuery) -> Result<SessionList, Failure> {
        self.list_sessions(query).await
    }

    async fn session_cancel(&self, which: SessionCancel) -> Result<SessionLine, Failure> {
        self.check_live()?;
        self.cancel_session(&which).await
    }

    async fn session_drop(&self, which: SessionDrop) -> Result<SessionLine, Failure> {
        self.check_live()?;
        self.drop_waiting(&which).await
    }

    async fn session_detail(&self, which: SessionRef) -> Result<SessionDetail, Failure> {
        self.session_detail(&which.session).await
    }

    async fn session_reorder(&self, wish: SessionReorder) -> Result<SessionDetail, Failure> {
        self.check_live()?;
        self.reorder_waiting(&wish).await
    }

    async fn session_reset(&self, which: SessionRef) -> Result<SessionLine, Failure> {
        self.check_live()?;
        self.reset_session(&which.session).await
    }

    async fn schedules(&self, _: Nothing) -> Result<Vec<ScheduleLine>, Failure> {
        self.list_schedules().await
    }

    async fn schedule_run(&self, which: ScheduleRef) -> Result<Vec<ScheduleLine>, Failure> {
        self.check_live()?;
        self.run_schedule(&which).await
    }

    async fn schedule_pause(&self, wish: SchedulePause) -> Result<Vec<ScheduleLine>, Failure> {
        self.check_live()?;
        self.pause_schedule(&wish).await
    }

    async fn reminders(&self, _: Nothing) -> Result<Vec<ReminderLine>, Failure> {
        self.list_reminders().await
    }

    async fn reminder_cancel(&self, which: ReminderRef) -> Result<Vec<ReminderLine>, Failure> {
        self.check_live()?;
        self.cancel_reminder(which.id, self.shared.actor.clone()).await
    }

    async fn calendar(&self, days: CalendarDays) -> Result<Calendar, Failure> {
        self.calendar_of(&days).await
    }

    async fn deliver(&self, call: DeliveryCall) -> Result<DeliveryAnswer, Failure> {
        self.check_live()?;
        self.deliver_call(&call).await
    }

    async fn delivery_state(&self, _: Nothing) -> Result<DeliveryState, Failure> {
        Ok(self.engine().delivery_state())
    }

    async fn dead_targets(&self, _: Nothing) -> Result<Vec<DeadTarget>, Failure> {
        Ok(self.engine().dead_targets())
    }

    async fn dead_target_revive(&self, which: DeadTargetRef) -> Result<Vec<DeadTarget>, Failure> {
        self.revive_dead_target(which, self.shared.actor.clone())
    }

    async fn hooks(&self, _: Nothing) -> Result<Vec<HookLine>, Failure> {
        self.list_hooks().await
    }

    async fn mute(&self, wish: Mute) -> Result<Status, Failure> {
        self.check_live()?;
        Ok(self.mute_all(&wish))
    }

    async fn demo_play(&self, wish: DemoPlay) -> Result<Status, Failure> {
        self.check_live()?;
        self.play_demo(wish)
    }

    async fn demo_stops(&self, _: Nothing) -> Result<Vec<DemoStop>, Failure> {
        self.list_demo_stops().await
    }

    async fn demo_pause(&self, _: Nothing) -> Result<Status, Failure> {
        self.check_live()?;
        self.pause_demo()
    }

    async fn release_held(&self, wish: ReleaseHeld) -> Result<ChannelCard, Failure> {
        self.check_live()?;
        self.release(wish).await
    }

    async fn faults(&self, _: Nothing) -> Result<Vec<FaultDeck>, Failure> {
        Ok(self.decks())
    }

    async fn fault_plan(&self, wish: FaultPlan) -> Result<Vec<FaultDeck>, Failure> {
        self.check_live()?;
        self.plan_fault(wish)
    }

    async fn fault_remove(&self, wish: FaultRemove) -> Result<Vec<FaultDeck>, Failure> {
        self.check_live()?;
        self.remove_fault(&wish)
    }

    async fn deliveries(&self, of: BookOf) -> Result<Book, Failure> {
        self.book(of).await
    }

    async fn resend(&self, wish: Resend) -> Result<SendResult, Failure> {
        self.check_live()?;
        self.send_again(wish).await
    }

    async fn workspaces(&self, _: Nothing) -> Result<Vec<Workspace>, Failure> {
        Ok(self.list_workspaces())
    }

    async fn examples(&self, _: Nothing) -> Result<Vec<ExampleFile>, Failure> {
        self.list_examples().await
    }

    async fn workspace_open(&self, wish: WorkspaceOpen) -> Result<Workspace, Failure> {
        self.check_live()?;
        self.open_workspace(wish).await
    }

    async fn workspace_close(&self, which: WorkspaceClose) -> Result<Vec<Workspace>, Failure> {
        self.close_workspace(which.workspace).await?;
        Ok(self.list_workspaces())
    }

    async fn link_read(&self, link: LinkText) -> Result<TurnLink, Failure> {
        TurnLink::parse(&link.link).map_err(failure::bad_link)
    }

    async fn link_write(&self, to: TurnLink) -> Result<LinkText, Failure> {
        Ok(LinkText { link: to.to_string() })
    }

    async fn log_tail(&self, _: Nothing) -> Result<Vec<LogLine>, Failure> {
        Ok(self.shared.log.tail())
    }
}
