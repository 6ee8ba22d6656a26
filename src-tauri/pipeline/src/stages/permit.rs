//! A run's requests for permission: decided by the configuration, or by a person, or by nobody in time.

use super::tool::{cut_request, shorten_options};
use crate::{
    config::{PermissionPolicy, PermissionsConfig},
    deadline::Deadline,
    output::OutputEvent,
    permissions::{OpenRequest, PermissionAnswer, Permissions, Question, QuestionDelivery, choose},
    recorder::Recorder,
    rules::{Rule, Rules},
    user_text::{NoDecision, UserText, line, shows_all},
};
use foldback_agents::Agent;
use foldback_store::StoreError;
use foldback_wire::{
    Actor, Inbound, Kind, PermissionId, PermissionOption, PermissionRequest, RunId, SessionId, TurnId,
    rpc::PendingPermission, visible,
};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::mpsc;
use tokio_util::sync::DropGuard;

/// Most requests of one run that wait for a person at once. Whoever is asked more cannot look at each.
const OPEN: usize = 32;

/// The question of a run: who asks, who is asked, and about what.
#[derive(Clone, Copy)]
pub(crate) struct PermitContext<'a> {
    pub(crate) permissions: &'a Permissions,
    pub(crate) config: &'a PermissionsConfig,
    /// True where an answer to a question in the chat would be found there: not where each message is a thread.
    pub(crate) is_answerable: bool,
    pub(crate) turn: TurnId,
    pub(crate) session: &'a SessionId,
    pub(crate) message: &'a Inbound,
}

/// The requests of one run.
pub(crate) struct Permits<'a> {
    context: PermitContext<'a>,
    agent: &'a dyn Agent,
    recorder: &'a Recorder,
    rules: Rules,
    run: RunId,
    /// Requests so far; numbers them.
    count: u32,
    /// Requests that are none of the agent's: confirmations of its actions.
    confirmations: BTreeSet<PermissionId>,
    /// Those that wait for a person.
    open: BTreeMap<PermissionId, OpenPermit>,
    /// Decisions that the chat, which was asked, is to be told.
    decided: Vec<OutputEvent>,
    sender: mpsc::UnboundedSender<PermissionAnswer>,
    answers: mpsc::UnboundedReceiver<PermissionAnswer>,
}

struct OpenPermit {
    request: PermissionRequest,
    until: Deadline,
    in_chat: Option<ChatTitle>,
}

/// A request that the chat is asked about, too.
struct ChatTitle {
    /// Its subject, as it was asked there.
    title: String,
    /// With the request the question goes.
    _decided: DropGuard,
}

impl<'a> Permits<'a> {
    pub(crate) fn new(
        context: PermitContext<'a>,
        agent: &'a dyn Agent,
        recorder: &'a Recorder,
        rules: Rules,
        run: RunId,
    ) -> Self {
        // As many as the agent has requests open, and a person answers each once.
        let (sender, answers) = mpsc::unbounded_channel();
        Self {
            context,
            agent,
            recorder,
            rules,
            run,
            count: 0,
            confirmations: BTreeSet::new(),
            open: BTreeMap::new(),
            decided: Vec::new(),
            sender,
            answers,
        }
    }

    /// True where a person is waited for.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Takes a request: decides it, or has a person asked. Answers what the chat is asked, where it is.
    pub(crate) fn ask_request(
        &mut self,
        mut request: PermissionRequest,
    ) -> Result<Option<Question>, StoreError> {
        let whole = request.clone();
        let uncovered = self.recorder.mask_request(&mut request).then_some(whole);
        let config = self.context.config;
        let (policy, setting) = if self.rules.holds(Rule::PermitPolicy) {
            config.about(&request.does)
        } else {
            (PermissionPolicy::Ask, "agent.permissions.policy")
        };
        let allow = match policy {
            PermissionPolicy::Ask if self.open.len() >= OPEN => {
                return self.refuse(request).map(|()| None);
            }
            PermissionPolicy::Ask => return self.wait_for_a_person(request, uncovered),
            PermissionPolicy::AllowOnce => true,
            PermissionPolicy::Reject => false,
        };
        cut_request(&mut request);
        let option = self.choose(&request, allow);
        let why = why(setting, allow, option.as_ref());
        let id = request.id.clone();
        self.recorder.note(Kind::PermissionAsked {
            request: Box::new(request),
            until: None,
        })?;
        self.settle_answer(PermissionAnswer {
            id,
            option,
            by: Actor::Config,
            why,
            setting: Some(setting),
            undecided: None,
        })
        .map(|()| None)
    }

    /// Has a person asked about an action, whatever the settings say of tools. Answers what the chat is asked, where it is.
    pub(crate) fn ask_confirmation(
        &mut self,
        mut request: PermissionRequest,
    ) -> Result<Option<Question>, StoreError> {
        let whole = request.clone();
        let uncovered = self.recorder.mask_request(&mut request).then_some(whole);
        self.confirmations.insert(request.id.clone());
        self.wait_for_a_person(request, uncovered)
    }

    /// Rejects what is one too many.
    fn refuse(&mut self, mut request: PermissionRequest) -> Result<(), StoreError> {
        cut_request(&mut request);
        let (id, option) = (request.id.clone(), self.choose(&request, false));
        self.recorder.note(Kind::PermissionAsked {
            request: Box::new(request),
            until: None,
        })?;
        self.settle_answer(PermissionAnswer::by_pipeline(
            id,
            option,
            NoDecision::TooMany { waiting: OPEN },
        ))
    }

    /// Has a person asked. `uncovered` is the request without masks, where it has any.
    fn wait_for_a_person(
        &mut self,
        mut request: PermissionRequest,
        uncovered: Option<PermissionRequest>,
    ) -> Result<Option<Question>, StoreError> {
        let PermitContext {
            permissions,
            config,
            is_answerable,
            turn,
            session,
            message,
        } = &self.context;
        self.count += 1;
        let since = self.recorder.now();
        let until = since.plus(config.timeout.0);
        let ends = Deadline::after(self.recorder.clock.as_ref(), config.timeout.0);
        let number = PermissionRequest::number(*turn, self.count);
        let in_chat = config.in_chat && *is_answerable && self.rules.holds(Rule::PermitChat);
        // Of the whole, whose end is the real one.
        let question = in_chat.then(|| Question {
            id: request.id.clone(),
            text: UserText::PermissionAsked {
                request: &request,
                number: &number,
                timeout: config.timeout,
            }
            .to_string(),
            delivery: QuestionDelivery::default(),
        });
        let shown_whole = shows_all(&request);
        let in_chat = question.as_ref().map(|question| ChatTitle {
            title: line(&request.title),
            _decided: question.delivery.decided_by_drop(),
        });
        let masked = uncovered.is_some();
        let mut whole = uncovered.unwrap_or_else(|| request.clone());
        let cut = cut_request(&mut request);
        shorten_options(&mut whole);
        let kind = Kind::PermissionAsked {
            request: Box::new(request.clone()),
            until: Some(until),
        };
        let mut shown = request.clone();
        shown.make_visible();
        whole.make_visible();
        let shown = PendingPermission {
            turn: *turn,
            session: (*session).clone(),
            channel: message.channel.clone(),
            chat: message.chat.clone(),
            sender: visible(&message.sender.display_name).into_owned(),
            number,
            request: shown,
            since,
            until,
            in_chat: in_chat.is_some(),
            masked,
            cut,
        };
        let id = request.id.clone();
        let open = OpenPermit {
            request,
            until: ends,
            in_chat,
        };
        self.open.insert(id, open);
        // Before it is told, so that whoever hears of it finds it.
        permissions.add_request(OpenRequest {
            shown,
            thread: message.thread.clone(),
            asker: message.sender.id.clone(),
            question: question.as_ref().map(|question| question.delivery.clone()),
            shown_whole,
            unseen: cut,
            whole: (masked || cut).then_some(whole),
            answers: self.sender.clone(),
        });
        self.recorder.note(kind)?;
        Ok(question)
    }

    /// The next answer of a person, or the end of the time one had.
    pub(crate) async fn next_answer(&mut self) -> PermissionAnswer {
        let clock = self.recorder.clock.as_ref();
        let first = self.open.iter().min_by_key(|(_, open)| open.until);
        let due = first.filter(|_| self.rules.holds(Rule::PermitTimeout));
        let due = due.map(|(id, open)| (id.clone(), open.until));
        let in_time = async {
            match &due {
                Some((_, until)) => until.passed(clock).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            // The sender is ours, so that the channel never closes.
            Some(answer) = self.answers.recv() => answer,
            () = in_time => self.too_late(due.map(|(id, _)| id)).await,
        }
    }

    async fn too_late(&mut self, id: Option<PermissionId>) -> PermissionAnswer {
        let taken = id.and_then(|id| {
            self.context
                .permissions
                .take_request(self.context.turn, &id)
                .map(|_| id)
        });
        let Some((id, open)) = taken.and_then(|id| self.open.get(&id).map(|open| (id, open))) else {
            // Somebody was faster: their answer is here.
            return match self.answers.recv().await {
                Some(answer) => answer,
                None => std::future::pending().await,
            };
        };
        let option = self.choose(&open.request, false);
        PermissionAnswer::by_pipeline(id, option, NoDecision::TimedOut(self.context.config.timeout))
    }

    /// Writes a decision down and tells it to the agent.
    pub(crate) fn settle_answer(&mut self, answer: PermissionAnswer) -> Result<(), StoreError> {
        let asked = self.open.remove(&answer.id).and_then(|open| open.in_chat);
        // Who answered there knows.
        if let Some(ChatTitle { title, .. }) = asked.filter(|_| !matches!(answer.by, Actor::User(_))) {
            let words = UserText::PermissionDecided {
                title: &title,
                option: answer.option.as_ref(),
                by: answer.decider(),
            };
            self.decided.push(OutputEvent::Decided {
                id: answer.id.clone(),
                words: words.to_string(),
            });
        }
        let PermissionAnswer {
            id,
            option,
            by,
            why,
            setting,
            ..
        } = answer;
        if !self.confirmations.contains(&id) {
            self.agent.decide(self.run, &id, option.as_ref());
        }
        let decided_by = setting.map(|setting| Box::new(self.recorder.deciding(setting)));
        self.recorder.note(Kind::PermissionDecided {
            id,
            option,
            by,
            why,
            decided_by,
        })
    }

    /// Takes the decisions that the chat is to be told of since this was asked for the last time.
    pub(crate) fn take_decisions(&mut self) -> Vec<OutputEvent> {
        std::mem::take(&mut self.decided)
    }

    /// Cancels the requests that still wait.
    pub(crate) fn cancel_open(&mut self, why: NoDecision) -> Result<(), StoreError> {
        if !self.rules.holds(Rule::PermitCancel) {
            return Ok(());
        }
        // A decision that was on its way stands.
        while let Ok(answer) = self.answers.try_recv() {
            self.settle_answer(answer)?;
        }
        let left: Vec<_> = self.open.keys().cloned().collect();
        left.into_iter().try_for_each(|id| self.cancel_one(id, why))
    }

    /// Cancels one request that still waits. A decision that was on its way stands.
    pub(crate) fn cancel_one(&mut self, id: PermissionId, why: NoDecision) -> Result<(), StoreError> {
        let answer = match self.context.permissions.take_request(self.context.turn, &id) {
            Some(_) => PermissionAnswer::by_pipeline(id, None, why),
            // Somebody was faster: their answer is here.
            None => match self.answers.try_recv() {
                Ok(answer) => answer,
                Err(_) => return Ok(()),
            },
        };
        self.settle_answer(answer)
    }

    fn choose(&self, request: &PermissionRequest, allow: bool) -> Option<PermissionOption> {
        if self.rules.holds(Rule::PermitKind) {
            choose(request, allow)
        } else {
            request.options.first().cloned()
        }
    }
}

impl Drop for Permits<'_> {
    /// A run that is dropped in the middle leaves nothing for people to answer.
    fn drop(&mut self) {
        for id in self.open.keys() {
            self.context.permissions.take_request(self.context.turn, id);
        }
    }
}

fn why(setting: &str, allow: bool, option: Option<&PermissionOption>) -> String {
    let wanted = if allow { "allows it once" } else { "rejects it" };
    match option {
        Some(_) => format!("{setting} {wanted}"),
        None => format!("{setting} {wanted}, and the agent offers no such answer"),
    }
}
