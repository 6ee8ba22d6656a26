//! How the window is drawn where nothing but the processor draws it (docs/performance.md, "The window").

use foldback_api::draws_by_processor;
use gtk::prelude::GtkSettingsExt as _;
use std::{os::unix::process::CommandExt as _, process::Command};
use tauri::WebviewWindow;
use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt as _, WebViewExt as _};

/// Tells the engine not to draw by way of a card's buffers.
const WITHOUT_BUFFERS: &str = "WEBKIT_DISABLE_DMABUF_RENDERER";

/// Begins the program anew without the buffers of a graphics card, where there is none: they take 5 MB of the page and are
/// of no use. The engine reads that from the environment, which a program may set safely only for another one. Where it
/// cannot begin anew, it goes on.
pub(crate) fn begin_without_buffers() {
    if !draws_by_processor() || std::env::var_os(WITHOUT_BUFFERS).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let arguments = std::env::args_os().skip(1);
        // Comes back only where that failed, and then nothing has changed.
        let _ = Command::new(program)
            .args(arguments)
            .env(WITHOUT_BUFFERS, "1")
            .exec();
    }
}

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
