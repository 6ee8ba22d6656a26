//! One turn: attempts, waits, and what is said in between.

use super::{
    HttpAgent,
    answer::{Answer, ModelAnswer},
    body::{Body, Read},
    failure::Failure,
    hearing::{Broken, Hearing, Reply},
    turn_tools::TurnTools,
    upstream::Upstream,
};
use crate::{
    Step,
    emitter::{Emitter, Interrupt},
};
use foldback_wire::{AgentFault, SteadyTime, StopReason};
use reqwest::{Response, StatusCode};
use serde_json::{Map, Value};
use std::{future::Future, time::Duration};

/// Wait before the second attempt; doubled for each one after it.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait between attempts. A backend that asks for more has failed: a person is waiting.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// Silence accepted after the model has said why it stopped: only the tokens and `[DONE]` are missing then.
const AFTER_FINISH: Duration = Duration::from_secs(5);
/// Longest wait while a server does something else for the agent that is asked.
const LONGEST_BUSY_WAIT: Duration = Duration::from_secs(10);
/// Bytes read of a refusal.
const REFUSAL_BYTES: usize = 16 * 1024;
/// How long the words of a refusal are waited for.
const REFUSAL_TIME: Duration = Duration::from_secs(5);
/// JSON around the text of an answer, and the room its escapes take in ordinary text.
const FRAMING_BYTES: usize = 1024 * 1024;

/// A turn under way.
pub(crate) struct Turn<'a> {
    agent: &'a HttpAgent,
    out: &'a Emitter,
    ends: SteadyTime,
    /// Told once the backend answers.
    session: Option<Step>,
    said: bool,
    /// Whether the backend has taken the question.
    taken: bool,
    /// The place at a server that keeps the conversation.
    upstream: Option<Upstream>,
    /// The attempt that was told last, from 1.
    attempt: u32,
    /// Until when a server that does something else is asked again.
    patient: Option<SteadyTime>,
    reply: Reply,
    /// The tools of the turn, where it has any.
    tools: Option<TurnTools>,
    /// The answer that was heard last, where its calls are answered.
    heard: ModelAnswer,
}

impl<'a> Turn<'a> {
    pub(crate) fn new(
        agent: &'a HttpAgent,
        out: &'a Emitter,
        session: Option<Step>,
        tools: Option<TurnTools>,
    ) -> Self {
        Self {
            agent,
            out,
            ends: agent.clock.steady().plus(agent.config.timeouts.total),
            session,
            said: false,
            taken: false,
            upstream: None,
            attempt: 1,
            patient: None,
            reply: Reply::new(agent.config.history.bytes),
            tools,
            heard: ModelAnswer::default(),
        }
    }

    /// What is remembered of the answer: the text said so far, bounded, and its tokens.
    pub(crate) fn into_reply(self) -> Reply {
        self.reply
    }

    /// Asks until there is an answer that calls no action.
    pub(crate) async fn run(&mut self, mut fields: Map<String, Value>) -> Result<StopReason, Interrupt> {
        self.take_place().await?;
        loop {
            let reason = self.ask(&fields).await?;
            let heard = std::mem::take(&mut self.heard);
            let Some(tools) = &mut self.tools else {
                return Ok(reason);
            };
            if reason != StopReason::End || !tools.answers(&heard.calls) {
                return Ok(reason);
            }
            let begun = self.agent.clock.steady();
            let said = tools.answer_calls(&heard.calls, self.out).await?;
            // A person may have taken their time to confirm it.
            let waited = self.agent.clock.steady().since(begun);
            self.ends = self.ends.plus(waited);
            tools.go_on(heard, &said, &mut fields);
            // What was said stands in the request: this one can be asked again.
            self.said = false;
        }
    }

    /// Asks until there is an answer or no hope of one. Nothing is asked again once the answer has begun:
    /// what a person has read cannot be taken back.
    async fn ask(&mut self, body: &Map<String, Value>) -> Result<StopReason, Interrupt> {
        let mut tries = 1;
        loop {
            let failure = match self.attempt(body).await {
                Ok(reason) => return Ok(reason),
                Err(Broken::Interrupt(interrupt)) => return Err(interrupt),
                Err(Broken::Failure(failure)) => failure,
            };
            let detail = self.agent.without_secrets(&failure.detail);
            tracing::debug!(tries, fault = %failure.fault, "the attempt failed");
            let Some(wait) = self.wait_before_next(tries, &failure) else {
                return Err(Interrupt::failed(failure.fault, detail));
            };
            tries += 1;
            self.tell_next(wait, detail).await?;
            let until = self.agent.clock.now().plus(wait);
            self.out.until(self.agent.clock.sleep_until(until)).await?;
        }
    }

    /// Waits until every other chat of this process that speaks to the same agent has been answered. Whoever has to
    /// wait says so.
    async fn take_place(&mut self) -> Result<(), Interrupt> {
        let Some(server) = &self.agent.server else {
            return Ok(());
        };
        self.upstream = server.try_place();
        if self.upstream.is_some() {
            return Ok(());
        }
        let detail = "the agent answers another chat; this one waits for its turn";
        self.tell_next(Duration::ZERO, detail.to_owned()).await?;
        let late = self.agent.clock.sleep_until_steady(self.ends);
        let place = self.out.until(async {
            tokio::select! {
                biased;
                () = late => None,
                place = server.place() => place,
            }
        });
        self.upstream = place.await?;
        if self.upstream.is_none() {
            let total = self.agent.config.timeouts.total.as_millis();
            let detail = format!("the agent answered other chats for {total} ms");
            return Err(Interrupt::failed(AgentFault::Overloaded, detail));
        }
        Ok(())
    }

    /// Tells that another attempt begins, and when.
    async fn tell_next(&mut self, wait: Duration, detail: String) -> Result<(), Interrupt> {
        self.attempt += 1;
        let step = Step::Retry {
            attempt: self.attempt,
            after_ms: u64::try_from(wait.as_millis()).unwrap_or(u64::MAX),
            detail,
            next: None,
        };
        self.out.emit(step).await
    }

    /// How long to wait before another attempt; `None` when there is none.
    fn wait_before_next(&mut self, tries: u32, failure: &Failure) -> Option<Duration> {
        // Somebody else is answered, as a person is: in seconds, not at once.
        let busy = self.agent.server.is_some() && failure.busy;
        let longest = if busy { LONGEST_BUSY_WAIT } else { LONGEST_WAIT };
        let ends = if busy { self.patience() } else { self.ends };
        if self.said
            || !failure.passing
            || !self.may_repeat(failure.fault)
            || (tries > self.agent.config.retries && !busy)
        {
            return None;
        }
        let wait = failure.retry_after.unwrap_or_else(|| {
            let most = FIRST_WAIT.saturating_mul(1 << (tries - 1).min(16)).min(longest);
            // Between half and all of it, so that many turns that failed together do not come back together.
            let half = most.as_millis() as u64 / 2;
            Duration::from_millis(half + self.agent.rng.next() % (half + 1))
        });
        let fits = wait <= LONGEST_WAIT && self.agent.clock.steady().plus(wait) < ends;
        fits.then_some(wait)
    }

    /// Until when a server is asked again that does something else: as long as it may say nothing.
    fn patience(&mut self) -> SteadyTime {
        let now = self.agent.clock.steady();
        let until = now.plus(self.agent.config.timeouts.first_byte).min(self.ends);
        *self.patient.get_or_insert(until)
    }

    /// Whether the same question may be asked twice. A server that keeps the conversation would have it twice, as
    /// soon as it took it.
    fn may_repeat(&self, fault: AgentFault) -> bool {
        let refused = matches!(
            fault,
            AgentFault::Unreachable | AgentFault::RateLimited | AgentFault::Overloaded
        );
        self.agent.server.is_none() || (refused && !self.taken)
    }

    async fn attempt(&mut self, body: &Map<String, Value>) -> Result<StopReason, Broken> {
        let first_byte = self.limit("no answer", self.agent.config.timeouts.first_byte);
        let request = self.agent.client.post(self.agent.endpoint.clone()).json(body);
        let mut upstream = self.upstream.take();
        let sending = async {
            // From here on the server may have it.
            upstream.iter_mut().for_each(Upstream::begins);
            request.send().await
        };
        let response = self.within(first_byte, sending).await;
        self.upstream = upstream;
        let response = response?.map_err(Failure::of_transport);
        let never_came = matches!(&response, Err(failure) if failure.fault == AgentFault::Unreachable);
        let refused = matches!(&response, Ok(response) if response.status() != StatusCode::OK);
        if never_came || refused {
            self.upstream.iter_mut().for_each(Upstream::ends);
        }
        let response = response?;
        tracing::debug!(status = %response.status(), "the backend answers");
        if refused {
            return Err(self.refusal(response).await?.into());
        }
        self.taken = true;
        if let Some(session) = self.session.take() {
            self.out.emit(session).await?;
        }
        let mut answer = Answer::new(self.agent.config.max_bytes);
        if let Some(tools) = &self.tools {
            answer = answer.with_tools(tools.ids.clone());
        }
        let mut hearing = Hearing::new(self.agent.protocol.reader(), answer);
        let ended = self.read(response, first_byte, &mut hearing).await;
        if let Some(upstream) = &mut self.upstream {
            upstream.owes(hearing.answer.owes());
            if hearing.is_over(&ended) {
                upstream.ends();
            }
        }
        if self.said || ended.is_ok() {
            // An open tool call and the tokens belong to the answer also when it failed half way. After an
            // interruption this says nothing: the emitter refuses.
            hearing.close();
            self.tell(hearing.answer.steps()).await?;
        }
        self.heard = hearing.answer.take_model_answer();
        ended
    }

    /// Reads an answer to its end.
    async fn read(
        &mut self,
        mut response: Response,
        mut limit: Limit,
        hearing: &mut Hearing,
    ) -> Result<StopReason, Broken> {
        let mut body = Body::new(self.agent.config.max_bytes.saturating_add(FRAMING_BYTES));
        let silence = self.agent.config.timeouts.silence;
        loop {
            let chunk = match self.within(limit, response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                Ok(Err(error)) => return hearing.ended_or(Failure::of_transport(error)),
                Err(Broken::Failure(late)) => return hearing.ended_or(late),
                Err(interrupt) => return Err(interrupt),
            };
            let Some(bytes) = chunk else {
                break;
            };
            if let Some(reason) = self.take(body.push(&bytes), hearing).await? {
                return Ok(reason);
            }
            limit = match hearing.answer.ended() {
                Some(_) => self.limit("nothing came", silence.min(AFTER_FINISH)),
                None => self.limit("nothing came", silence),
            };
        }
        if let Some(reason) = self.take(body.finish(), hearing).await? {
            return Ok(reason);
        }
        let cut = Failure::passing(AgentFault::Disconnected, AgentFault::Disconnected.about());
        hearing.ended_or(cut)
    }

    /// Says what was read; gives the reason when the answer is complete.
    async fn take(
        &mut self,
        reads: Vec<Result<Read, Failure>>,
        hearing: &mut Hearing,
    ) -> Result<Option<StopReason>, Broken> {
        for read in reads {
            let (data, cut) = match read? {
                Read::Done => return hearing.end().map(Some),
                Read::Data(data) => (data, false),
                Read::Rest(data) => (data, true),
            };
            let done = hearing.read(&data);
            if let (Some(upstream), Some(run)) = (&mut self.upstream, hearing.answer.run()) {
                upstream.is_called(run);
            }
            self.tell(hearing.answer.steps()).await?;
            match done {
                // Cut in the middle of an event: what is not whole was not said. And what we do not understand after
                // a good end does not make it a bad one.
                Err(failure)
                    if failure.fault == AgentFault::Malformed
                        && (cut || matches!(hearing.answer.ended(), Some(Ok(_)))) => {}
                done => {
                    if done? {
                        return hearing.end().map(Some);
                    }
                }
            }
        }
        Ok(None)
    }

    async fn tell(&mut self, steps: Vec<Step>) -> Result<(), Interrupt> {
        for step in steps {
            self.said = true;
            self.reply.take(&step);
            self.out.emit(step).await?;
        }
        Ok(())
    }

    /// Reads a refusal.
    async fn refusal(&self, mut response: Response) -> Result<Failure, Broken> {
        let limit = self.limit("nothing came", REFUSAL_TIME);
        let mut body = Vec::new();
        while body.len() < REFUSAL_BYTES {
            // The status is what counts: a body that breaks off, or stalls, is read as far as it came.
            match self.within(limit, response.chunk()).await {
                Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes),
                Ok(Ok(None) | Err(_)) | Err(Broken::Failure(_)) => break,
                Err(interrupt) => return Err(interrupt),
            }
        }
        body.truncate(REFUSAL_BYTES);
        let now = self.agent.clock.now();
        let status = response.status();
        let mut failure = Failure::of_status(status, response.headers(), &body, now);
        let no_path = matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED);
        if no_path && failure.fault == AgentFault::Rejected {
            failure = failure.without_path(&self.agent.endpoint, self.agent.protocol.without_path());
        }
        Ok(failure)
    }

    /// A limit that begins now.
    fn limit(&self, late: &'static str, time: Duration) -> Limit {
        let until = self.agent.clock.steady().plus(time);
        Limit { until, late, time }
    }

    /// Waits for `work`, no longer than its limit and than the turn may take.
    async fn within<T>(&self, limit: Limit, work: impl Future<Output = T>) -> Result<T, Broken> {
        let sleep = self.agent.clock.sleep_until_steady(limit.until.min(self.ends));
        let done = self
            .out
            .until(async {
                // Time first: a backend that sends comments without a pause is always ready.
                tokio::select! {
                    biased;
                    () = sleep => None,
                    done = work => Some(done),
                }
            })
            .await?;
        done.ok_or_else(|| {
            let detail = if limit.until < self.ends {
                format!("{} for {} ms", limit.late, limit.time.as_millis())
            } else {
                let total = self.agent.config.timeouts.total.as_millis();
                format!("the run took longer than {total} ms")
            };
            Failure::lasting(AgentFault::Timeout, detail).into()
        })
    }
}

/// Until when something is waited for, and the words for it coming too late.
#[derive(Clone, Copy)]
struct Limit {
    until: SteadyTime,
    late: &'static str,
    time: Duration,
}
