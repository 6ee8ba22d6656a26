//! `foldback serve` as a process of its own, with a web chat.

use crate::Outcome;
use foldback_strict::free_address;
use std::{
    fs,
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// The running program.
pub(crate) struct Bot {
    child: Child,
    /// Host and port of its page.
    pub(crate) address: String,
    _home: TempDir,
}

impl Bot {
    /// Starts it on an empty journal, with the model at this port.
    pub(crate) fn start(model: u16) -> Outcome<Self> {
        let home = TempDir::new()?;
        // As many runs as there are conversations: what waits in the queue streams nothing.
        let config = format!(
            "[agent]\nbackend = \"openai\"\nmax_runs = 500\n[agent.openai]\nbase_url = \"http://127.0.0.1:{model}/v1\"\nmodel = \"test\"\n"
        );
        fs::write(home.path().join("foldback.toml"), config)?;
        let address = free_address()?.to_string();
        let child = Command::new(env!("CARGO_BIN_EXE_foldback"))
            .args(["serve", "--web-chat", &address, "--config"])
            .arg(home.path().join("foldback.toml"))
            .env("FOLDBACK_DATA_DIR", home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let mut bot = Self {
            child,
            address,
            _home: home,
        };
        while TcpStream::connect(&bot.address).is_err() {
            if let Some(status) = bot.child.try_wait()? {
                return Err(format!("the bot ended with {status}").into());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(bot)
    }

    /// Ends it.
    pub(crate) fn end(mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        // It has ended where the trial did not fail.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
