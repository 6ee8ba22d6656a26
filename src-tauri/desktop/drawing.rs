//! Who draws the page: the graphics card, or the processor where there is none.
//!
//! Without a card the engine has its layers put together by an emulated one. On two cores that took half of all the time of
//! the page, and a fifth of a gigabyte: following 50 events a second it drew 21 frames a second, and 42 when the processor
//! drew them itself.

use foldback_api::has_graphics_card;
use tauri::WebviewWindow;
use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt as _, WebViewExt as _};

/// Has the processor draw the page where an emulated graphics card would.
pub(crate) fn suit_to_machine(window: &WebviewWindow) -> tauri::Result<()> {
    if has_graphics_card() {
        return Ok(());
    }
    window.with_webview(|webview| {
        if let Some(settings) = webview.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    })
}
