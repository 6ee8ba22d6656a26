//! Who draws the page: the graphics card, or the processor where there is none.

use std::{env, fs};

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
