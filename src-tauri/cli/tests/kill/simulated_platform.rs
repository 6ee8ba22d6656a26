//! The platform in a process of its own: what kills the bot does not touch its memory and its log.

use foldback_channels::{RemoteLoopback, profile, sim::Record};
use foldback_pipeline::TokioClock;
use foldback_wire::{CallFault, Inbound, OpId, Platform};
use std::{
    env,
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, LazyLock},
};
use tokio::runtime::Runtime;

/// The program, built beside this one.
static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into());
    let build = [
        "build",
        "-q",
        "-p",
        "foldback-channels",
        "--bin",
        "foldback-platform",
    ];
    let built = Command::new(cargo).args(build).status().unwrap();
    assert!(built.success());
    Path::new(env!("CARGO_BIN_EXE_foldback")).with_file_name("foldback-platform")
});

/// A simulated platform that runs.
pub(crate) struct SimulatedPlatform {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
    runtime: Runtime,
    door: RemoteLoopback,
}

impl SimulatedPlatform {
    pub(crate) fn start(platform: Platform, log: &Path) -> Self {
        let mut child = Command::new(&*PROGRAM)
            .arg(platform.code())
            .arg(log)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address: SocketAddr = line.trim().parse().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let clock = Arc::new(TokioClock::system());
        let door = RemoteLoopback::new(profile(platform), address, clock, None);
        Self {
            child,
            address,
            log: log.to_owned(),
            runtime,
            door,
        }
    }

    pub(crate) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Somebody writes to the bot; the platform keeps it until a bot has it.
    pub(crate) fn write(&self, message: Inbound) {
        self.runtime.block_on(self.door.inject(message)).unwrap();
    }

    /// Plans that a call goes wrong.
    pub(crate) fn plan(&self, fault: CallFault) {
        self.runtime.block_on(self.door.plan(fault)).unwrap();
    }

    /// Ends it; answers with its log.
    pub(crate) fn stop(mut self) -> PathBuf {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
        self.log.clone()
    }
}

impl Drop for SimulatedPlatform {
    fn drop(&mut self) {
        // Already gone, unless a test failed.
        let _ = self.child.kill();
    }
}

/// The operation of a call: its key ends in the number.
pub(crate) fn op_of(record: &Record) -> OpId {
    let number = record.call.key.rsplit('-').next().unwrap();
    OpId(u64::from_str_radix(number, 16).unwrap())
}
