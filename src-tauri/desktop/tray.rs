//! The icon in the tray: find the window again, silence the bot, leave.

use crate::bridge::Shell;
use foldback_api::Commands;
use foldback_wire::rpc::{Mute, Nothing};
use tauri::{
    AppHandle, Manager, async_runtime,
    menu::{Menu, MenuItem},
    tray::TrayIconBuilder,
};

/// Puts the icon into the tray. A desktop without a tray is no reason not to start.
pub(crate) fn install(app: &AppHandle) -> tauri::Result<()> {
    let open = MenuItem::with_id(app, "open", "Open Foldback", true, None::<&str>)?;
    let mute = MenuItem::with_id(app, "mute", "Mute or unmute all outbound", true, None::<&str>)?;
    let quit = MenuItem::with_id(app, "quit", "Quit", true, None::<&str>)?;
    let mut tray = TrayIconBuilder::with_id("foldback")
        .tooltip("Foldback")
        .menu(&Menu::with_items(app, &[&open, &mute, &quit])?)
        .on_menu_event(|app, event| match event.id().as_ref() {
            "open" => show(app),
            "mute" => toggle_mute(app),
            "quit" => app.exit(0),
            _ => {}
        });
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    if let Err(error) = tray.build(app) {
        tracing::warn!(%error, "there is no tray");
    }
    Ok(())
}

fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        // Each may be refused by the window manager; there is nothing to do then.
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

fn toggle_mute(app: &AppHandle) {
    let app = app.clone();
    async_runtime::spawn(async move {
        let shell = app.state::<Shell>();
        let Ok(backend) = shell.backend().await else {
            return;
        };
        let toggled = match backend.status(Nothing {}).await {
            Ok(status) => backend.mute(Mute { muted: !status.muted }).await.map(drop),
            Err(failure) => Err(failure),
        };
        if let Err(failure) = toggled {
            tracing::error!(code = failure.code, "{}", failure.message);
        }
    });
}
