//! The desktop shell.
fn main() {
    let context: tauri::Context<tauri::Wry> = tauri::generate_context!("tauri.conf.json");
    let app = tauri::Builder::default().build(context);
    drop(app);
}
