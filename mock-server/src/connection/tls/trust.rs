//! What makes a command trust the authority: its certificate in one file with the system's, and the variables by which
//! programs find such a file.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use crate::values::chance;

/// What programs take the place of such a file from: OpenSSL, and so Python, Ruby and PHP's streams, and the client of
/// this project; curl; Python's requests; Node.
const VARIABLES: [&str; 4] = [
    "SSL_CERT_FILE",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
];

/// Where systems have theirs, of which the first that is there counts.
const SYSTEMS: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/usr/local/share/certs/ca-root-nss.crt",
];

/// PHP's curl looks at no variable but the one for folders of settings. It takes what is set for PHP's openssl, where that
/// is there, else its own.
const PHP_FOLDERS: &str = "PHP_INI_SCAN_DIR";

const PHP_SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The file, in a folder that goes with it.
pub(crate) struct Trust {
    folder: PathBuf,
}

impl Trust {
    /// Writes it where temporary files are.
    pub(crate) fn new(authority: &str) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("secmon-mock-{}", chance::text()));
        std::fs::create_dir(&folder)?;
        let trust = Self { folder };
        let mut bundle = trusted_already();
        bundle.extend_from_slice(authority.as_bytes());
        let file = trust.bundle();
        std::fs::write(&file, bundle)?;
        let php = format!(
            "curl.cainfo=\"{0}\"\nopenssl.cafile=\"{0}\"\n",
            file.display()
        );
        std::fs::write(trust.folder.join("secmon-mock.ini"), php)?;
        Ok(trust)
    }

    /// What tells a command of it.
    pub(crate) fn variables(&self) -> Vec<(&'static str, String)> {
        let file = text(&self.bundle());
        let mut variables: Vec<_> = VARIABLES.map(|name| (name, file.clone())).into();
        // An empty name stands for the folders that PHP was built with.
        let others = std::env::var(PHP_FOLDERS).unwrap_or_default();
        let folders = format!("{others}{PHP_SEPARATOR}{}", text(&self.folder));
        variables.push((PHP_FOLDERS, folders));
        variables
    }

    fn bundle(&self) -> PathBuf {
        self.folder.join("ca-bundle.pem")
    }
}

impl Drop for Trust {
    fn drop(&mut self) {
        // What cannot be removed is left to whoever cleans up temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The system's certificates, and those that the variables name already: the command loses none of them.
fn trusted_already() -> Vec<u8> {
    let named = VARIABLES
        .iter()
        .filter_map(std::env::var_os)
        .map(PathBuf::from);
    let of_system = SYSTEMS
        .iter()
        .map(PathBuf::from)
        .find(|file| file.is_file());
    let files: BTreeSet<PathBuf> = named.chain(of_system).collect();
    let mut all = Vec::new();
    for mut certificates in files.iter().filter_map(|file| std::fs::read(file).ok()) {
        certificates.push(b'\n');
        all.append(&mut certificates);
    }
    all
}
