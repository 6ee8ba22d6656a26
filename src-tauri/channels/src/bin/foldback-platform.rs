//! A simulated platform in a process of its own.
//!
//! `foldback-platform PLATFORM LOG [ADDRESS]` serves until its standard input ends, so that it never outlives
//! whoever started it. The first line of standard output is the address it listens on. `LOG` must not exist:
//! another run's evidence is not overwritten. `ADDRESS` is `127.0.0.1:0` unless given, any free port.

use foldback_channels::sim::SimPlatform;
use foldback_channels::{platform, profile, serve};
use foldback_wire::{Clock, Platform, Sleep, Timestamp};
use std::error::Error;
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const USAGE: &str = "usage: foldback-platform PLATFORM LOG [ADDRESS]";

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep_until(&self, until: Timestamp) -> Sleep {
        Box::pin(tokio::time::sleep(until.since(self.now())))
    }
}

// One thread: the log is synced while the platform is locked, and nobody else could go on meanwhile.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("foldback-platform: {error}");
            ExitCode::from(2)
        }
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(platform), Some(log)) = (args.next(), args.next()) else {
        return Err(USAGE.into());
    };
    let address = args.next().unwrap_or_else(|| "127.0.0.1:0".into());
    if args.next().is_some() {
        return Err(USAGE.into());
    }
    let platform = platform::from_code(&platform).ok_or_else(|| {
        let known: Vec<_> = platform::ALL.iter().map(Platform::code).collect();
        format!("there is no platform {platform}, only {}", known.join(", "))
    })?;
    let log = OpenOptions::new()
        .append(true)
        .create_new(true)
        .open(&log)
        .map_err(|e| format!("{log}: {e}"))?;
    let listener = TcpListener::bind(&address)
        .await
        .map_err(|e| format!("{address}: {e}"))?;

    let stop = CancellationToken::new();
    std::thread::spawn({
        let stop = stop.clone();
        move || {
            // An unreadable input has ended, too.
            let _ = std::io::stdin().lock().read_to_end(&mut Vec::new());
            stop.cancel();
        }
    });
    writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
    serve(
        listener,
        SimPlatform::new(profile(platform)),
        log,
        Arc::new(SystemClock),
        stop,
    )
    .await?;
    Ok(())
}
