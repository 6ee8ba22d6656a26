//! The app that a server knows.

/// An app, and the user who authorized it.
#[derive(Debug, Clone)]
pub struct XClient {
    /// The client id.
    pub id: String,
    /// The client secret of a confidential client.
    pub secret: Option<String>,
    /// The refresh token that the authorization gave.
    pub refresh_token: String,
    /// The id of the user.
    pub user: u64,
    /// The name of the user.
    pub name: String,
    /// Refuses the same text below the same post. Tests that send one often say no.
    pub refuses_duplicates: bool,
}

impl XClient {
    /// A public client of a user.
    pub fn public(id: &str, refresh_token: &str, user: u64, name: &str) -> Self {
        Self {
            id: id.to_owned(),
            secret: None,
            refresh_token: refresh_token.to_owned(),
            user,
            name: name.to_owned(),
            refuses_duplicates: false,
        }
    }
}
