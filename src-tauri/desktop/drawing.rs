//! How the window is drawn where nothing but the processor draws it (docs/performance.md, "The window").

use foldback_api::draws_by_processor;
use gtk::prelude::GtkSettingsExt as _;
use tauri::WebviewWindow;
use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt as _, WebViewExt as _};

/// Has the processor draw the page where an emulated graphics card would, and carets stand still: each blink draws anew.
pub(crate) fn suit_to_machine(window: &WebviewWindow) -> tauri::Result<()> {
    if let Some(settings) = gtk::Settings::default() {
        settings.set_gtk_cursor_blink(false);
    }
    if !draws_by_processor() {
        return Ok(());
    }
    window.with_webview(|webview| {
        if let Some(settings) = webview.inner().settings() {
            settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
        }
    })
}
