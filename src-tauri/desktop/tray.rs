//! The icon in the tray: find the window again, open a file, play the demo, silence the bot, leave.

use crate::bridge::Shell;
use foldback_api::{Backend, Commands, WindowOrder};
use foldback_wire::rpc::{DemoPlay, Failure, Mute, Nothing};
use std::future::Future;
use tauri::{
    AppHandle, Manager, async_runtime,
    menu::{Menu, MenuItem},
    tray::TrayIconBuilder,
};

/// Puts the icon into the tray. A desktop without a tray is no reason not to start.
pub(crate) fn install(app: &AppHandle) -> tauri::Result<()> {
    let open = MenuItem::with_id(app, "open", "Open Foldback", true, None::<&str>)?;
    let file = MenuItem::with_id(
        app,
        "file.open",
        "Open a file or a link\u{2026}",
        true,
        None::<&str>,
    )?;
    let play = MenuItem::with_id(app, "demo.play", "Play the demo", true, None::<&str>)?;
    let pause = MenuItem::with_id(app, "demo.pause", "Pause the demo", true, None::<&str>)?;
    let mute = MenuItem::with_id(app, "mute", "Mute or unmute all outbound", true, None::<&str>)?;
    let quit = MenuItem::with_id(app, "quit", "Quit", true, None::<&str>)?;
    let mut tray = TrayIconBuilder::with_id("foldback")
        .tooltip("Foldback")
        .menu(&Menu::with_items(
            app,
            &[&open, &file, &play, &pause, &mute, &quit],
        )?)
        .on_menu_event(|app, event| match event.id().as_ref() {
            "open" => show(app),
            "file.open" => order(app, |backend| async move {
                let ask = WindowOrder::Open { targets: Vec::new() };
                backend.ask_window(ask).map(drop)
            }),
            "demo.play" => {
                show(app);
                order(app, |backend| async move {
                    backend.demo_play(DemoPlay::default()).await.map(drop)
                });
            }
            "demo.pause" => order(app, |backend| async move {
                backend.demo_pause(Nothing {}).await.map(drop)
            }),
            "mute" => order(app, toggle_mute),
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

/// Brings the window to the front.
pub(crate) fn show(app: &AppHandle) {
    if let Some(window) = app.get_webview_window("main") {
        // Each may be refused by the window manager; there is nothing to do then.
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

async fn toggle_mute(backend: Backend) -> Result<(), Failure> {
    let status = backend.status(Nothing {}).await?;
    backend.mute(Mute { muted: !status.muted }).await.map(drop)
}

/// Gives the bot an order once it runs; what it refuses stands in the app's log.
fn order<F>(app: &AppHandle, carry_out: impl FnOnce(Backend) -> F + Send + 'static)
where
    F: Future<Output = Result<(), Failure>> + Send,
{
    let app = app.clone();
    async_runtime::spawn(async move {
        let shell = app.state::<Shell>();
        let Ok(backend) = shell.backend().await else {
            return;
        };
        if let Err(failure) = carry_out(backend.clone()).await {
            tracing::error!(code = failure.code, "{}", failure.message);
        }
    });
}
