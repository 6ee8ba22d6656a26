//! The task of a kept shell: it reads the terminal, carries commands out one at a time, and ends the shell.

use super::{record::ShellRecord, script, shell_process::ShellProcess};
use crate::terminal::{capture::Capture, plain_text::PlainText, shell::after};
use foldback_wire::{Clock, TurnId, duration_in_words, redact::Redaction};
use rustix::process::Signal;
use std::{io, ops::ControlFlow, pin::pin, process::ExitStatus, sync::Arc, time::Duration};
use tokio::{
    sync::{mpsc, oneshot},
    task::consume_budget,
};

/// Bytes of the terminal that are read at once.
pub(super) const PART: usize = 16 * 1024;

/// Bytes that a terminal may hold, more than Linux keeps.
const MOST_WAITING: usize = 128 * 1024;

/// A command on its way into a shell.
pub(super) struct ShellOrder {
    pub(super) turn: TurnId,
    pub(super) command: String,
    pub(super) timeout: Duration,
    /// Whoever waits for it; where nobody does any more, it does not begin, or ends.
    pub(super) reply: oneshot::Sender<Option<KeptRun>>,
}

/// The result of a command in a kept shell.
pub(super) struct KeptRun {
    /// Output between the command before and this one.
    pub(super) before: Capture,
    pub(super) output: Capture,
    pub(super) end: KeptEnd,
    /// True for the first command of a shell.
    pub(super) is_first: bool,
}

/// The end of a command in a kept shell. All but the first end the shell, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptEnd {
    /// With this exit status.
    Exited(i32),
    /// The shell itself ended.
    ShellEnded(Option<ExitStatus>),
    /// It was stopped after this time.
    TimedOut(Duration),
    /// The shell was ended from outside, for this reason.
    Ended(&'static str),
}

/// A shell, its terminal and the way into it.
pub(super) struct ShellTask {
    pub(super) process: ShellProcess,
    pub(super) record: Arc<ShellRecord>,
    pub(super) orders: mpsc::Receiver<ShellOrder>,
    /// Reasons to end it, in words, from outside.
    pub(super) to_end: mpsc::Receiver<&'static str>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) idle: Duration,
    pub(super) most_output: usize,
    pub(super) redaction: Option<Redaction>,
}

/// The reason for the end of a shell, in words.
type Why = String;

/// Ends the record of a shell when its task is over, also where that panics.
struct EndsRecord {
    record: Arc<ShellRecord>,
    why: Option<Why>,
}

impl Drop for EndsRecord {
    fn drop(&mut self) {
        self.record
            .end(self.why.as_deref().unwrap_or("Foldback stopped watching it"));
    }
}

impl ShellTask {
    /// Runs the shell to its end.
    pub(super) async fn run(mut self) {
        let mut ending = EndsRecord {
            record: Arc::clone(&self.record),
            why: None,
        };
        let mut last = None;
        let why = loop {
            let mut before = PlainText::new(self.most_output, self.redaction.as_ref());
            let order = match self.wait(&mut before).await {
                ControlFlow::Continue(order) => order,
                ControlFlow::Break(why) => break why,
            };
            match self.carry_out(order, before.finish(), last).await {
                ControlFlow::Continue(status) => last = Some(status),
                ControlFlow::Break(why) => break why,
            }
        };
        self.orders.close();
        while let Ok(order) = self.orders.try_recv() {
            // It has not begun; whoever waits has it begun elsewhere.
            let _ = order.reply.send(None);
        }
        // What runs in the background may put its things away first; where the bot ends, the system does it.
        if !self.process.ended.is_finished() && !self.to_end.is_closed() {
            // Where its terminal is lost, SIGKILL below ends it.
            let _ = self.end_process(None).await;
        }
        self.process.guarded.0.signal(Signal::KILL);
        ending.why = Some(why);
    }

    /// Waits for the next command; what is written meanwhile goes to the screen and into `before`.
    async fn wait(&mut self, before: &mut PlainText) -> ControlFlow<Why, ShellOrder> {
        let mut part = vec![0; PART];
        let Self {
            process,
            record,
            orders,
            to_end,
            clock,
            idle,
            ..
        } = self;
        let mut idles = pin!(after(clock.as_ref(), *idle));
        loop {
            tokio::select! {
                biased;
                Some(why) = to_end.recv() => return ControlFlow::Break(why.to_owned()),
                status = &mut process.ended => return ControlFlow::Break(ended_by_itself(status.ok().flatten())),
                order = orders.recv() => match order {
                    Some(order) if order.reply.is_closed() => {}
                    Some(order) => break read_what_waits(process, record, before)
                        .await
                        .map_or_else(|error| ControlFlow::Break(lost(&error)), |()| ControlFlow::Continue(order)),
                    None => return ControlFlow::Break("the bot ended".to_owned()),
                },
                () = &mut idles => {
                    return ControlFlow::Break(format!("nothing ran in it for {}", duration_in_words(*idle)));
                }
                // Behind all others: in the background something may write without an end.
                read = process.terminal.read(&mut part) => match read {
                    Ok(read) => {
                        record.add(&part[..read]);
                        before.add(&part[..read]);
                        consume_budget().await;
                    }
                    Err(error) => return ControlFlow::Break(lost(&error)),
                },
            }
        }
    }

    /// Carries a command out. Gives its exit status, or the reason for which the shell ends with it.
    async fn carry_out(
        &mut self,
        order: ShellOrder,
        before: Capture,
        last: Option<i32>,
    ) -> ControlFlow<Why, i32> {
        let ShellOrder {
            turn,
            command,
            timeout,
            mut reply,
        } = order;
        self.record.begin(turn, &command, self.clock.now());
        let mut output = PlainText::new(self.most_output, self.redaction.as_ref());
        let (end, to_end) = match self
            .command(
                &command,
                last.unwrap_or_default(),
                timeout,
                &mut reply,
                &mut output,
            )
            .await
        {
            Ok(Some(ended)) => ended,
            Ok(None) => {
                self.process.guarded.0.signal(Signal::KILL);
                self.end_command(None, Some("stopped before its end".to_owned()));
                return ControlFlow::Break("its command was stopped".to_owned());
            }
            Err(error) => {
                self.end_command(None, Some(lost(&error)));
                return ControlFlow::Break(lost(&error));
            }
        };
        let (exit, note) = match end {
            KeptEnd::Exited(status) => (Some(status), None),
            KeptEnd::ShellEnded(status) => (
                status.and_then(|status| status.code()),
                Some(ended_by_itself(status)),
            ),
            KeptEnd::TimedOut(time) => (None, Some(format!("stopped after {}", duration_in_words(time)))),
            KeptEnd::Ended(why) => (None, Some(why.to_owned())),
        };
        self.end_command(exit, note.clone());
        let is_first = last.is_none();
        // Whoever waited may have stopped since it ended.
        let _ = reply.send(Some(KeptRun {
            before,
            output: output.finish(),
            end,
            is_first,
        }));
        match (end, to_end) {
            (KeptEnd::Exited(status), None) => ControlFlow::Continue(status),
            (KeptEnd::Exited(_), Some(why)) => ControlFlow::Break(why.to_owned()),
            _ => ControlFlow::Break(note.unwrap_or_default()),
        }
    }

    fn end_command(&self, exit: Option<i32>, note: Option<String>) {
        self.record
            .end_command((exit, note), (self.clock.now(), self.clock.steady()));
    }

    /// Runs a command to its end; `None` where nobody waits for it any more. Beside its end stands the reason for which the
    /// shell was to end meanwhile.
    async fn command(
        &mut self,
        command: &str,
        last: i32,
        timeout: Duration,
        reply: &mut oneshot::Sender<Option<KeptRun>>,
        output: &mut PlainText,
    ) -> io::Result<Option<(KeptEnd, Option<&'static str>)>> {
        let (report, mark) = (script::nonce()?, script::nonce()?);
        self.process.script.push(&script::lines(command, last, &report));
        let mut part = vec![0; PART];
        let end = {
            let Self {
                process,
                record,
                to_end,
                clock,
                ..
            } = &mut *self;
            let ShellProcess {
                terminal,
                script,
                reports,
                ended,
                ..
            } = process;
            let mut timeout_is_over = pin!(after(clock.as_ref(), timeout));
            loop {
                tokio::select! {
                    biased;
                    () = reply.closed() => return Ok(None),
                    Some(why) = to_end.recv() => break KeptEnd::Ended(why),
                    () = &mut timeout_is_over => break KeptEnd::TimedOut(timeout),
                    status = reports.status(&report) => break KeptEnd::Exited(status),
                    status = &mut *ended => break KeptEnd::ShellEnded(status.ok().flatten()),
                    () = script.write() => {}
                    read = terminal.read(&mut part) => {
                        let read = read?;
                        record.add(&part[..read]);
                        output.add(&part[..read]);
                        consume_budget().await;
                    }
                }
            }
        };
        if matches!(end, KeptEnd::TimedOut(_) | KeptEnd::Ended(_)) {
            self.end_process(Some(output)).await?;
        }
        let why = self.read_to_mark(&mark, output).await?;
        Ok(Some((end, why)))
    }
}

/// Reads what the terminal holds now, as it was written before the next command.
///
/// # Errors
/// The terminal is lost.
async fn read_what_waits(
    process: &ShellProcess,
    record: &ShellRecord,
    before: &mut PlainText,
) -> io::Result<()> {
    let mut part = vec![0; PART];
    let mut all = 0;
    while all < MOST_WAITING {
        tokio::select! {
            biased;
            read = process.terminal.read(&mut part) => {
                let read = read?;
                record.add(&part[..read]);
                before.add(&part[..read]);
                all += read;
            }
            () = std::future::ready(()) => break,
        }
    }
    Ok(())
}

fn ended_by_itself(status: Option<ExitStatus>) -> Why {
    match status.and_then(|status| status.code()) {
        Some(code) => format!("the shell ended with status {code}"),
        None => "the shell ended".to_owned(),
    }
}

fn lost(error: &io::Error) -> Why {
    format!("its terminal is lost: {error}")
}
