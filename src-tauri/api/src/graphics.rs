//! Who draws the page: the graphics card, or the processor where there is none.

use std::{env, fs};

/// Tells the engine not to draw by way of a card's buffers. Linux alone has that engine.
#[cfg(target_os = "linux")]
const WITHOUT_BUFFERS: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Begins the program anew without the buffers of a graphics card, where there is none: they take 5 MB of the page and are
/// of no use. The engine reads that from the environment, which a program may set safely only for another one. Where it
/// cannot begin anew, it goes on.
pub fn begin_without_buffers() {
    #[cfg(target_os = "linux")]
    if draws_by_processor()
        && env::var_os(WITHOUT_BUFFERS).is_none()
        && let Ok(program) = env::current_exe()
    {
        use std::{os::unix::process::CommandExt as _, process::Command};
        let arguments = env::args_os().skip(1);
        // Comes back only where that failed, and then nothing has changed.
        let _ = Command::new(program)
            .args(arguments)
            .env(WITHOUT_BUFFERS, "1")
            .exec();
    }
}

/// True where the processor is to draw the page by itself.
///
/// Without a card the engine has its layers put together by an emulated one, which takes half of the page's time. It stays
/// with that one where a program drives the window (`TAURI_AUTOMATION`): it answers a request for a picture with its next
/// frame, and where the processor draws, a page that stands still has none. `FOLDBACK_DRAWING=processor` asks for it there,
/// too, as the benches do.
pub fn draws_by_processor() -> bool {
    if env::var_os("FOLDBACK_DRAWING").is_some_and(|drawing| drawing == "processor") {
        return true;
    }
    env::var_os("TAURI_AUTOMATION").is_none() && !has_graphics_card()
}

/// A card that draws has a render node, unless Mesa is told not to use it. Linux alone has such nodes.
fn has_graphics_card() -> bool {
    let is_render_node = |name: &str| name.starts_with("renderD");
    env::var_os("LIBGL_ALWAYS_SOFTWARE").is_none()
        && fs::read_dir("/dev/dri").is_ok_and(|nodes| {
            nodes
                .flatten()
                .any(|node| node.file_name().to_str().is_some_and(is_render_node))
        })
}
