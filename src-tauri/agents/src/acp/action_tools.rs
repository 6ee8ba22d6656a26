//! The actions of a session as tools of the Model Context Protocol.

use super::{
    action_cancel::{OpenCall, OpenCalls},
    open_runs::RunInput,
};
use crate::{ActionCall, OfferedAction};
use foldback_wire::Clock;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, RequestId, ServerCapabilities,
        ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::mpsc;

/// The time between two signs that a call is still waited for: clients give a call up after a minute without one.
const SIGN: Duration = Duration::from_secs(10);

/// The actions of a session: what its agent is told of, and the run that takes its calls.
#[derive(Default)]
pub(super) struct SessionActions {
    state: Mutex<State>,
    /// Calls that are waited for, of whichever run.
    open: Arc<OpenCalls>,
}

#[derive(Default)]
struct State {
    offered: Vec<OfferedAction>,
    /// The inputs of the run that began last; they are closed once it has ended.
    run: Option<mpsc::UnboundedSender<RunInput>>,
    /// Calls of that run.
    calls: u32,
}

impl SessionActions {
    pub(super) fn of(offered: &[OfferedAction]) -> Arc<Self> {
        let actions = Self::default();
        actions.state().offered = offered.to_vec();
        Arc::new(actions)
    }

    /// A run begins: it takes the calls from now on.
    pub(super) fn begin_run(&self, offered: &[OfferedAction], inputs: mpsc::UnboundedSender<RunInput>) {
        let mut state = self.state();
        *state = State {
            offered: offered.to_vec(),
            run: Some(inputs),
            calls: 0,
        };
    }

    /// The client of this session cancels a call.
    pub(super) fn cancel(&self, request: &RequestId) {
        self.open.cancel(request);
    }

    fn begin_call(&self, request: RequestId) -> OpenCall {
        self.open.begin(request)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Whole after every change: a panic elsewhere spoils nothing.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tools(&self) -> Vec<Tool> {
        let tool = |action: &OfferedAction| {
            let schema = match &action.payload {
                Value::Object(schema) => schema.clone(),
                _ => serde_json::Map::new(),
            };
            Tool::new(action.name.clone(), action.about.clone(), Arc::new(schema))
        };
        self.state().offered.iter().map(tool).collect()
    }

    /// Hands a call to the run that goes on, and gives the end at which its answer comes; `None` where no run does.
    fn call(
        &self,
        name: String,
        payload: String,
    ) -> Option<tokio::sync::oneshot::Receiver<crate::ActionAnswer>> {
        let mut state = self.state();
        let run = state.run.clone()?;
        // The agent does not tell which answer of its model asks: each call counts as one.
        let (call, answered) = ActionCall::new(None, name, payload, state.calls);
        run.send(RunInput::Action(call)).ok()?;
        state.calls += 1;
        Some(answered)
    }
}

/// Answers the requests to one endpoint.
#[derive(Clone)]
pub(super) struct ToolHandler {
    session: Arc<SessionActions>,
    clock: Arc<dyn Clock>,
}

impl ToolHandler {
    pub(super) fn new(session: Arc<SessionActions>, clock: Arc<dyn Clock>) -> Self {
        Self { session, clock }
    }
}

impl ServerHandler for ToolHandler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("foldback", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult {
            tools: self.session.tools(),
            ..ListToolsResult::default()
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let payload = Value::Object(request.arguments.unwrap_or_default()).to_string();
        let failed = |why: &str| Ok(CallToolResult::error(vec![ContentBlock::text(why)]).into());
        let open = self.session.begin_call(context.id.clone());
        let Some(mut answered) = self.session.call(request.name.into_owned(), payload) else {
            return failed(
                "No action is carried out now: no message of this conversation is being answered.",
            );
        };
        let token = context.meta.get_progress_token();
        let mut signs = 0_u32;
        let answer = loop {
            let next = self.clock.sleep_until_steady(self.clock.steady().plus(SIGN));
            tokio::select! {
                answer = &mut answered => break answer,
                // Its client hung up, or cancelled it: the call closes with the end of this request.
                () = context.ct.cancelled() => return failed("The call was given up."),
                () = open.cancelled() => return failed("The call was cancelled."),
                () = next => {}
            }
            signs += 1;
            if let Some(token) = &token {
                let sign = ProgressNotificationParam::new(token.clone(), f64::from(signs));
                // A client that does not listen any more gives the call up.
                let _ = context.peer.notify_progress(sign).await;
            }
        };
        let Ok(answer) = answer else {
            return failed("The message is not answered any more; the action was stopped.");
        };
        let content = vec![ContentBlock::text(answer.text)];
        let result = if answer.is_error {
            CallToolResult::error(content)
        } else {
            CallToolResult::success(content)
        };
        Ok(result.into())
    }
}
