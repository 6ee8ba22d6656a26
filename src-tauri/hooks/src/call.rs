//! One event told to one hook.

use crate::{Destination, Hook, call_end::CallEnd, program_call, url_call::UrlCaller};
use foldback_programs::Program;
use foldback_wire::{Clock, Event, HookEnd};
use std::{sync::Arc, time::Duration};

/// Tells a hook of events, one after the other.
pub(crate) struct Caller {
    name: String,
    route: Route,
    timeout: Duration,
    clock: Arc<dyn Clock>,
}

/// The way to who is told.
enum Route {
    Program(Program),
    Url(UrlCaller),
}

impl Caller {
    pub(crate) fn new(hook: Hook, clock: Arc<dyn Clock>) -> Self {
        let route = match hook.destination {
            Destination::Program(program) => Route::Program(program),
            Destination::Url { url, secret } => Route::Url(UrlCaller::new(url, secret, Arc::clone(&clock))),
        };
        Self {
            name: hook.name,
            route,
            timeout: hook.timeout,
            clock,
        }
    }

    /// Tells the hook of an event, and answers with what became of that.
    pub(crate) async fn tell(&self, event: &Event, left_out: u64) -> HookEnd {
        let began = self.clock.steady();
        let end = match serde_json::to_vec(event) {
            Ok(body) => self.call(body).await,
            Err(error) => CallEnd::failed(format!("the event cannot be written as JSON: {error}"), 0),
        };
        let took = self.clock.steady().since(began).as_millis();
        HookEnd {
            hook: self.name.clone(),
            event: event.seq,
            done: end.done,
            detail: end.detail,
            attempts: end.attempts,
            took_ms: u64::try_from(took).unwrap_or(u64::MAX),
            left_out,
        }
    }

    async fn call(&self, body: Vec<u8>) -> CallEnd {
        match &self.route {
            Route::Program(program) => program_call::run(program, body, self.timeout, &self.clock).await,
            Route::Url(caller) => caller.post(body, self.timeout).await,
        }
    }
}
