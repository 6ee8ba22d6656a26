//! The menu of the icon in the tray: its items, and what each of them does.

use super::{Backend, window::WindowOrder};
use crate::Commands as _;
use foldback_wire::rpc::{DemoPlay, Failure, Mute, Nothing};

/// An item of the tray's menu. The shell shows the window or ends the app, also while no bot runs; the rest is the bot's
/// ([`Backend::carry_out_tray_item`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrayItem {
    /// The name by which the menu reports a click.
    pub id: &'static str,
    /// The words in the menu.
    pub label: &'static str,
    /// True where the window comes to the front.
    pub shows_window: bool,
    /// True where the app ends.
    pub ends_app: bool,
    order: Option<TrayOrder>,
}

/// A bot's part of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrayOrder {
    OpenFile,
    PlayDemo,
    PauseDemo,
    ToggleMute,
}

/// The items of the tray's menu, from top to bottom.
pub const TRAY_ITEMS: [TrayItem; 6] = [
    TrayItem {
        shows_window: true,
        ..item("open", "Open Foldback", None)
    },
    item("file.open", "Open a file or a link…", Some(TrayOrder::OpenFile)),
    TrayItem {
        shows_window: true,
        ..item("demo.play", "Play the demo", Some(TrayOrder::PlayDemo))
    },
    item("demo.pause", "Pause the demo", Some(TrayOrder::PauseDemo)),
    item("mute", "Mute or unmute all outbound", Some(TrayOrder::ToggleMute)),
    TrayItem {
        ends_app: true,
        ..item("quit", "Quit", None)
    },
];

const fn item(id: &'static str, label: &'static str, order: Option<TrayOrder>) -> TrayItem {
    TrayItem {
        id,
        label,
        shows_window: false,
        ends_app: false,
        order,
    }
}

impl Backend {
    /// Carries out the bot's part of an item; nothing where it has none.
    ///
    /// # Errors
    /// Fails as the command behind the item does.
    pub async fn carry_out_tray_item(&self, item: &TrayItem) -> Result<(), Failure> {
        match item.order {
            None => Ok(()),
            Some(TrayOrder::OpenFile) => {
                // Without a target the window comes to the front and asks for one.
                let targets = Vec::new();
                self.ask_window(WindowOrder::Open { targets }).map(drop)
            }
            Some(TrayOrder::PlayDemo) => self.demo_play(DemoPlay::default()).await.map(drop),
            Some(TrayOrder::PauseDemo) => self.demo_pause(Nothing {}).await.map(drop),
            Some(TrayOrder::ToggleMute) => {
                let muted = self.status(Nothing {}).await?.muted;
                self.mute(Mute { muted: !muted }).await.map(drop)
            }
        }
    }
}
