//! The desktop shell: a window on the running bot. Everything it shows and does comes from `foldback-api`;
//! here are only the window, the tray, files that are dragged or chosen, one `rpc` command and one `subscribe` channel.

// No console window beside the app on Windows.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod bridge;
#[cfg(target_os = "linux")]
mod drawing;
mod files;
mod tray;

use bridge::Shell;
use foldback_api::{EndSignals, ProgramRequest, WindowStart};
use std::io;
use tauri::{
    AppHandle, Manager, RunEvent, WebviewUrl, WebviewWindowBuilder, WindowEvent, async_runtime,
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
    foldback_api::begin_with_engine_environment();
    let start = WindowStart::from_arguments(std::env::args_os().skip(1));
    if async_runtime::block_on(start.hand_over()) {
        return Ok(());
    }
    // Before anything begins, so that a signal meanwhile ends it in order, too.
    let signals = async_runtime::block_on(async { EndSignals::listen() });
    let app = tauri::Builder::default()
        .invoke_handler(tauri::generate_handler![
            bridge::rpc,
            bridge::subscribe,
            files::choose_files,
            files::hear_drags
        ])
        .setup(move |app| {
            app.manage(Shell::default());
            app.manage(files::Drags::default());
            begin(app.handle().clone(), start);
            window(app.handle())?;
            tray::install(app.handle())?;
            end_on_signals(app.handle().clone(), signals);
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
fn begin(app: AppHandle, start: WindowStart) {
    async_runtime::spawn(async move {
        let shell = app.state::<Shell>();
        shell.started(start.open_backend().await);
        let Ok(live) = shell.backend().await else { return };
        while live.program_request().await == ProgramRequest::ShowWindow {
            tray::show(&app);
        }
        // The bot ends in order with the event loop, and the program begins anew after that.
        app.request_restart();
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
                window.state::<files::Drags>().forget_page();
            }
        })
        .build()?;
    #[cfg(target_os = "linux")]
    drawing::suit_to_machine(&window)?;
    let drags = window.clone();
    window.on_window_event(move |event| {
        if let WindowEvent::DragDrop(event) = event {
            drags.state::<files::Drags>().tell(event);
        }
    });
    async_runtime::spawn(async move {
        tokio::time::sleep(UNTHEMED).await;
        // An error means that the window is gone already.
        let _ = window.show();
    });
    Ok(())
}

/// A signal ends the app as closing its window does: running turns get their time, the journal is closed.
fn end_on_signals(app: AppHandle, signals: io::Result<EndSignals>) {
    async_runtime::spawn(async move {
        match signals {
            Ok(mut signals) => {
                signals.next().await;
                app.exit(0);
            }
            Err(error) => tracing::warn!(%error, "signals end the app without its journal being closed"),
        }
    });
}
