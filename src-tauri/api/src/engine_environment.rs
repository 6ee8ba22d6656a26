//! What the engine that draws the page reads from the environment. Linux alone has that engine.

use crate::graphics::draws_by_processor;
use std::{env, os::unix::process::CommandExt as _, process::Command};

/// Has the engine look at all of its memory whenever it looks for what is of no use any more. Each message to the page is a
/// script of its own. The engine counts none of its bytes, and kept those that had once outlived a look: half a megabyte a
/// second at 10,000 events (docs/performance.md, "The window").
const WHOLE_COLLECTIONS: (&str, &str) = ("JSC_useGenerationalGC", "0");
/// Has it draw without the buffers of a graphics card, which are of no use where there is none.
const WITHOUT_BUFFERS: (&str, &str) = ("WEBKIT_DISABLE_DMABUF_RENDERER", "1");

/// Begins the program anew with what the engine is to find in the environment, which a program may set safely only for
/// another one. What somebody has set already stays as it is. Where it cannot begin anew, it goes on.
pub fn begin_with_engine_environment() {
    let buffers = draws_by_processor().then_some(WITHOUT_BUFFERS);
    let is_missing = |(name, _): &(&str, &str)| env::var_os(name).is_none();
    let missing: Vec<_> = buffers
        .into_iter()
        .chain([WHOLE_COLLECTIONS])
        .filter(is_missing)
        .collect();
    if missing.is_empty() {
        return;
    }
    if let Ok(program) = env::current_exe() {
        // Comes back only where that failed, and then nothing has changed.
        let _ = Command::new(program)
            .args(env::args_os().skip(1))
            .envs(missing)
            .exec();
    }
}
