//! A WebSocket, opened by the client of all other calls: so its rules hold here, too, first of all that nothing secret
//! travels in the open. <https://www.rfc-editor.org/rfc/rfc6455#section-4>

use super::unanswered;
use crate::Refusal;
use reqwest::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE};
use reqwest::{RequestBuilder, Response, StatusCode, Upgraded};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

/// An open WebSocket.
pub(crate) type WebSocket = WebSocketStream<Upgraded>;

/// Opens a WebSocket by this GET request, for messages of at most `most` bytes. The answer, where it accepts none.
pub(crate) async fn open_websocket(
    request: RequestBuilder,
    most: usize,
) -> Result<Result<WebSocket, Response>, Refusal> {
    let key = generate_key();
    let request = request
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_KEY, &key);
    let response = request.send().await.map_err(unanswered)?;
    let accept = response.headers().get(SEC_WEBSOCKET_ACCEPT);
    let is_accepted =
        accept.is_some_and(|accept| accept.as_bytes() == derive_accept_key(key.as_bytes()).as_bytes());
    if response.status() != StatusCode::SWITCHING_PROTOCOLS || !is_accepted {
        return Ok(Err(response));
    }
    let upgraded = response.upgrade().await.map_err(unanswered)?;
    let limits = WebSocketConfig::default()
        .max_message_size(Some(most))
        .max_frame_size(Some(most));
    Ok(Ok(WebSocketStream::from_raw_socket(
        upgraded,
        Role::Client,
        Some(limits),
    )
    .await))
}
