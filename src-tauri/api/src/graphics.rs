//! The machine's graphics card, as far as a page is drawn by it.

use std::{env, fs};

/// True where a card draws: it has a render node, unless Mesa is told not to use it. Linux alone has such nodes.
pub fn has_graphics_card() -> bool {
    let is_render_node = |name: &str| name.starts_with("renderD");
    env::var_os("LIBGL_ALWAYS_SOFTWARE").is_none()
        && fs::read_dir("/dev/dri").is_ok_and(|nodes| {
            nodes
                .flatten()
                .any(|node| node.file_name().to_str().is_some_and(is_render_node))
        })
}
