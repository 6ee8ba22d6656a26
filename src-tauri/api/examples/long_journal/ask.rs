//! What a page asks, and how long the answer takes.

use crate::Fault;
use foldback_api::{Backend, call};
use foldback_wire::rpc::{FindNextResult, Frame, Push, Topic, ViewOpened};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A page of a backend.
pub(crate) struct Asking<'a>(&'a Backend);

/// A view that has been opened.
pub(crate) struct Opened {
    /// The frame that has all of it.
    pub(crate) frame: Frame,
    /// Time from the opening to the first frame with rows.
    pub(crate) first_rows: Duration,
    /// Time from the opening to that frame.
    pub(crate) all: Duration,
}

impl<'a> Asking<'a> {
    pub(crate) const fn new(backend: &'a Backend) -> Self {
        Self(backend)
    }

    /// Opens a view at its end, and waits for the frame that has all of it.
    pub(crate) async fn open(&self, filter: &str, rows: &str, count: u32) -> Result<Opened, Fault> {
        let begin = Instant::now();
        let opened: ViewOpened = self
            .ask("view_open", json!({"filter": filter, "rows": rows}))
            .await?;
        let view = opened.view;
        let mut topic = self.0.subscribe(&Topic::View { view }).map_err(|f| f.message)?;
        let window = json!({"view": view, "first": 0, "count": count, "follow": true});
        self.ask::<Value>("view_window", window).await?;
        let mut first_rows = None;
        while let Some(push) = topic.next().await {
            let Push::Frame { frame } = push else { continue };
            self.ask::<Value>("view_ack", json!({"view": view, "serial": frame.serial}))
                .await?;
            let took = begin.elapsed();
            if !(frame.rows.is_empty() && frame.turns.is_empty()) {
                first_rows.get_or_insert(took);
            }
            if !frame.scanning {
                let first_rows = first_rows.unwrap_or(took);
                return Ok(Opened {
                    frame,
                    first_rows,
                    all: took,
                });
            }
        }
        Err("the view ended".into())
    }

    /// The row of the next or previous error, as `e` and `E` look for it.
    pub(crate) async fn find_error(
        &self,
        view: u32,
        seq: u64,
        back: bool,
    ) -> Result<(Option<u64>, Duration), Fault> {
        let begin = Instant::now();
        let wish = json!({"view": view, "condition": "is:error", "seq": seq, "back": back});
        let found: FindNextResult = self.ask("view_find_next", wish).await?;
        Ok((found.index, begin.elapsed()))
    }

    async fn ask<R: serde::de::DeserializeOwned>(&self, name: &str, args: Value) -> Result<R, Fault> {
        let answer = call(self.0, name, args)
            .await
            .map_err(|failure| failure.message)?;
        Ok(serde_json::from_value(answer)?)
    }
}
