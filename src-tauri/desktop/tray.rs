//! The icon in the tray. What its menu says and does is `foldback_api`'s.

use crate::bridge::Shell;
use foldback_api::{TRAY_ITEMS, TrayItem};
use tauri::{
    AppHandle, Manager, async_runtime,
    menu::{Menu, MenuItem},
    tray::TrayIconBuilder,
};

/// Puts the icon into the tray. A desktop without a tray is no reason not to start.
pub(crate) fn install(app: &AppHandle) -> tauri::Result<()> {
    let menu = Menu::new(app)?;
    for item in TRAY_ITEMS {
        menu.append(&MenuItem::with_id(app, item.id, item.label, true, None::<&str>)?)?;
    }
    let mut tray = TrayIconBuilder::with_id("foldback")
        .tooltip("Foldback")
        .menu(&menu)
        .on_menu_event(|app, event| {
            if let Some(item) = TRAY_ITEMS.iter().find(|item| event.id() == item.id) {
                carry_out(app, *item);
            }
        });
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    if let Err(error) = tray.build(app) {
        tracing::warn!(%error, "there is no tray");
    }
    Ok(())
}

/// Brings the window to the front.
pub(crate) fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        // Each may be refused by the window manager; there is nothing to do then.
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Does at once what is the shell's, and has the bot do its part once it runs; what it refuses stands in the app's log.
fn carry_out(app: &AppHandle, item: TrayItem) {
    if item.shows_window {
        show(app);
    }
    if item.ends_app {
        app.exit(0);
    }
    let app = app.clone();
    async_runtime::spawn(async move {
        let shell = app.state::<Shell>();
        if let Ok(backend) = shell.backend().await
            && let Err(failure) = backend.carry_out_tray_item(&item).await
        {
            tracing::error!(code = failure.code, "{}", failure.message);
        }
    });
}
