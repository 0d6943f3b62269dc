//! The sender's picture, put into the page.

use crate::error::CliError;
use crate::machine::files;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::path::Path;

const MAX_KIB: u64 = 256;

/// What a drawing may not contain. A page shows it as a picture, where none of this works, but whoever saves the picture
/// could open it on its own.
const ACTIVE: [&str; 5] = [
    "<script",
    "<foreignobject",
    "<!entity",
    "javascript:",
    "onload=",
];

/// A picture as the address of itself.
pub fn data_url(path: &Path) -> Result<String, CliError> {
    let name = format!("--logo {}", files::name_of(path));
    let too_large = std::fs::metadata(path).is_ok_and(|known| known.len() > MAX_KIB * 1024);
    if too_large {
        return Err(CliError::usage(format!(
            "{name} is larger than {MAX_KIB} KiB: give a smaller picture"
        )));
    }
    let bytes = files::read(path, &name, MAX_KIB * 1024)?;
    let kind = kind_of(&bytes).ok_or_else(|| {
        CliError::usage(format!(
            "{name} is not a picture that the page can show: give a PNG, a JPEG or an SVG without scripts"
        ))
    })?;
    Ok(format!(
        "data:{kind};base64,{}",
        BASE64_STANDARD.encode(&bytes)
    ))
}

/// The kind of a picture by its content; a file's name can say anything.
fn kind_of(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some("image/png");
    }
    if bytes.starts_with(b"\xff\xd8\xff") {
        return Some("image/jpeg");
    }
    let text = std::str::from_utf8(bytes).ok()?.to_lowercase();
    let is_safe = text.contains("<svg") && !ACTIVE.iter().any(|active| text.contains(active));
    is_safe.then_some("image/svg+xml")
}
