//! The last output of a command, and the end of a shell's processes.

use super::{
    shell_task::{PART, ShellTask},
    until_mark::UntilMark,
};
use crate::terminal::{
    plain_text::PlainText,
    shell::{GRACE, LAST_WORDS, after},
};
use rustix::process::Signal;
use std::{io, pin::pin, time::Duration};
use tokio::task::consume_budget;

/// Longest wait for what SIGKILL ends. The guard leaves it to the system before.
const KILLED: Duration = Duration::from_secs(15);

impl ShellTask {
    /// Ends everything: SIGTERM, two seconds, SIGKILL. What is written meanwhile is read.
    pub(super) async fn end_process(&mut self, mut output: Option<&mut PlainText>) -> io::Result<()> {
        let mut part = vec![0; PART];
        let Self {
            process,
            record,
            clock,
            ..
        } = self;
        for (signal, time) in [(Signal::TERM, GRACE), (Signal::KILL, KILLED)] {
            process.guarded.0.signal(signal);
            let mut is_over = pin!(after(clock.as_ref(), time));
            loop {
                tokio::select! {
                    biased;
                    _ = &mut process.ended => return Ok(()),
                    () = &mut is_over => break,
                    read = process.terminal.read(&mut part) => {
                        let read = read?;
                        record.add(&part[..read]);
                        if let Some(output) = &mut output {
                            output.add(&part[..read]);
                        }
                        consume_budget().await;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads what was written by now. The mark goes into the terminal behind it, from our side. Gives the reason for which the
    /// shell is to end, where one came meanwhile.
    pub(super) async fn read_to_mark(
        &mut self,
        mark: &str,
        output: &mut PlainText,
    ) -> io::Result<Option<&'static str>> {
        let Self {
            process,
            record,
            to_end,
            clock,
            ..
        } = self;
        process.terminal.reset()?;
        let mut until = UntilMark::new(mark);
        let mut unwritten = mark.as_bytes();
        let mut part = vec![0; PART];
        let mut is_over = pin!(after(clock.as_ref(), LAST_WORDS));
        let mut keep = |bytes: &[u8]| {
            record.add(bytes);
            output.add(bytes);
        };
        let why = loop {
            let written = process.terminal.write_beside(unwritten)?;
            unwritten = &unwritten[written..];
            tokio::select! {
                biased;
                Some(why) = to_end.recv() => break Some(why),
                // Something in the background writes all the time, and nothing of ours comes through.
                () = &mut is_over => break None,
                read = process.terminal.read(&mut part) => {
                    let read = read?;
                    let (before, behind) = until.add(&part[..read]);
                    keep(&before);
                    if let Some(behind) = behind {
                        record.add(&behind);
                        return Ok(None);
                    }
                    consume_budget().await;
                }
            }
        };
        keep(&until.rest());
        Ok(why)
    }
}
