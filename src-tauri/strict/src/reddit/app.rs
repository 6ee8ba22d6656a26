//! The app that a server knows.

/// An app and the account that it acts for.
#[derive(Debug, Clone)]
pub struct RedditApp {
    /// The name of the account.
    pub name: String,
    /// The app's id.
    pub client_id: String,
    /// The app's secret.
    pub client_secret: String,
    /// The refresh token.
    pub refresh_token: String,
    /// The password of the account.
    pub password: String,
    /// Seconds that an access token lasts.
    pub lasts: u64,
}
