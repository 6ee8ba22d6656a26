//! Programs by others that listen on a port. They take one that is free as they listen, and say which: one that was
//! looked for before they start can be somebody else's by then, and some of them need half a minute to start.

use std::io::{BufRead as _, BufReader, PipeReader, pipe};
use std::process::{Child, Command, Stdio};
use tokio::sync::oneshot;

/// A process that listens on the loopback address; ends when it is dropped.
pub(crate) struct PeerProcess {
    process: Child,
    /// Its port.
    pub(crate) port: u16,
}

impl PeerProcess {
    /// Starts a program, and waits until it listens. `before_port` is what it writes right before its port.
    ///
    /// # Errors
    ///
    /// Everything it wrote, when it ends before it listens.
    pub(crate) async fn start(mut command: Command, before_port: &'static str) -> Result<Self, String> {
        let (reader, writer) = pipe().expect("a pipe");
        let errors = writer.try_clone().expect("a second end to write to");
        command.stdin(Stdio::null()).stdout(writer).stderr(errors);
        let process = command.spawn().expect("the program starts");
        // Only the process may hold the ends that are written to: its end is the end of the pipe.
        drop(command);
        let mut peer = Self { process, port: 0 };
        let (found, port) = oneshot::channel();
        std::thread::spawn(move || read(reader, before_port, found));
        peer.port = port.await.expect("the pipe is read to its end")?;
        Ok(peer)
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Looks for the port, and goes on reading: a pipe that is full stops the one that writes.
fn read(reader: PipeReader, before_port: &str, found: oneshot::Sender<Result<u16, String>>) {
    let mut found = Some(found);
    let mut output = String::new();
    for line in BufReader::new(reader).split(b'\n') {
        let Ok(line) = line else { break };
        if found.is_none() {
            continue;
        }
        let line = String::from_utf8_lossy(&line);
        if let Some(port) = port_in(&line, before_port) {
            // A test that has ended waits no more.
            let _ = found.take().map(|found| found.send(Ok(port)));
        }
        output.push_str(&line);
        output.push('\n');
    }
    let _ = found.map(|found| found.send(Err(output)));
}

fn port_in(line: &str, before_port: &str) -> Option<u16> {
    let (_, rest) = line.split_once(before_port)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
