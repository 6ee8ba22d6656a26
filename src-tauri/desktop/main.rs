//! The desktop shell: a window on the running bot. Everything it shows and does comes from `foldback-api`;
//! here are only the window, the tray, one `rpc` command and one `subscribe` channel.

// No console window beside the app on Windows.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod bridge;
mod start;
mod tray;

use bridge::Shell;
use tauri::{
    AppHandle, Manager, RunEvent, WebviewUrl, WebviewWindowBuilder, async_runtime,
    webview::{Color, PageLoadEvent},
};

/// Longest wait for the page to say that it is themed. A page that fails must be seen to fail.
const UNTHEMED: std::time::Duration = std::time::Duration::from_secs(5);

/// The darkest surface of the dark theme: what is seen before the page draws, if anything is.
const BEFORE: Color = Color(13, 15, 19, 255);

fn main() -> Result<(), tauri::Error> {
    if let Some(code) = foldback_api::guard_if_asked() {
        std::process::exit(code);
    }
    let app = tauri::Builder::default()
        .invoke_handler(tauri::generate_handler![bridge::rpc, bridge::subscribe])
        .setup(|app| {
            app.manage(Shell::default());
            begin(app.handle().clone());
            window(app.handle())?;
            tray::install(app.handle())?;
            end_on_signals(app.handle().clone());
            Ok(())
        })
        .build(tauri::generate_context!("tauri.conf.json"))?;
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            async_runtime::block_on(app.state::<Shell>().end());
        }
    });
    Ok(())
}

/// Starts the bot beside the window: a long journal takes a while to open, and the page says so. A bot that
/// cannot start is shown too: the page asks, and is told what is wrong.
fn begin(app: AppHandle) {
    async_runtime::spawn(async move {
        let backend = start::backend().await;
        app.state::<Shell>().started(backend);
    });
}

fn window(app: &AppHandle) -> tauri::Result<()> {
    let window = WebviewWindowBuilder::new(app, "main", WebviewUrl::default())
        .title("Foldback")
        .inner_size(1440.0, 900.0)
        .min_inner_size(900.0, 600.0)
        .background_color(BEFORE)
        .visible(false)
        .on_page_load(|window, load| {
            if load.event() == PageLoadEvent::Started {
                window.state::<Shell>().forget_page();
            }
        })
        .build()?;
    async_runtime::spawn(async move {
        tokio::time::sleep(UNTHEMED).await;
        // An error means that the window is gone already.
        let _ = window.show();
    });
    Ok(())
}

/// A signal ends the app as closing its window does: running turns get their time, the journal is closed.
fn end_on_signals(app: AppHandle) {
    async_runtime::spawn(async move {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let Ok(mut terminate) = signal(SignalKind::terminate()) else {
                return;
            };
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        #[cfg(not(unix))]
        if tokio::signal::ctrl_c().await.is_err() {
            return;
        }
        app.exit(0);
    });
}
