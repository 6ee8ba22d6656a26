//! What an agent is given: the text, and files in the best form it takes.

use super::{failure::Failure, folder::Folder, peer::Peer};
use crate::AgentFile;
use agent_client_protocol::v1::schema::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent, ResourceLink, TextContent,
    TextResourceContents,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use foldback_wire::AgentFault;
use std::{fs, io, sync::Arc};

/// The blocks of a prompt. Every agent takes text and links; pictures and embedded text go as such where it says so.
pub(super) async fn blocks(
    peer: &mut Peer,
    prompt: &str,
    files: &[AgentFile],
) -> Result<Vec<ContentBlock>, Failure> {
    if let Some(folder) = &mut peer.folder {
        folder.make_room();
    }
    let mut blocks = vec![ContentBlock::Text(TextContent::new(prompt))];
    for file in files {
        let block = if peer.takes.image && file.media_type.starts_with("image/") {
            ContentBlock::Image(ImageContent::new(
                STANDARD.encode(&file.bytes),
                file.media_type.clone(),
            ))
        } else {
            let failed = |error| {
                let detail = format!("{} cannot be laid down: {error}", file.name);
                Failure::new(AgentFault::Internal, detail)
            };
            let folder = match &mut peer.folder {
                Some(folder) => folder,
                none => none.insert(Folder::new().map_err(failed)?),
            };
            let link = link(folder, file).await.map_err(failed)?;
            match std::str::from_utf8(&file.bytes) {
                Ok(text) if peer.takes.embedded_context && file.media_type.starts_with("text/") => {
                    let text = TextResourceContents::new(text, link.uri).mime_type(file.media_type.clone());
                    let resource = EmbeddedResourceResource::TextResourceContents(text);
                    ContentBlock::Resource(EmbeddedResource::new(resource))
                }
                _ => ContentBlock::ResourceLink(link),
            }
        };
        blocks.push(block);
    }
    Ok(blocks)
}

/// Lays a file where the agent can read it.
async fn link(folder: &mut Folder, file: &AgentFile) -> io::Result<ResourceLink> {
    let path = folder.place(&file.name, file.bytes.len());
    let (to, bytes) = (path.clone(), Arc::clone(&file.bytes));
    tokio::task::spawn_blocking(move || fs::write(to, bytes))
        .await
        .map_err(io::Error::other)??;
    let size = i64::try_from(file.bytes.len()).ok();
    let uri =
        reqwest::Url::from_file_path(&path).map_err(|()| io::Error::other("the path is not absolute"))?;
    Ok(ResourceLink::new(file.name.clone(), uri.to_string())
        .mime_type(file.media_type.clone())
        .size(size))
}
