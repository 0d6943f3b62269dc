//! Https: handshakes under an authority of the accounts's own, with a certificate for the name that the client asks for.

pub(crate) mod authority;
pub(crate) mod certificate;
pub(crate) mod kept;
pub(crate) mod trust;

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::server::{Acceptor, NoServerSessionStorage};
use tokio_rustls::{LazyConfigAcceptor, server::TlsStream};

use super::arrival::Certificate;
use super::connection_io::ConnectionIo;
use crate::account::accounts::Accounts;
use crate::configuration::start_error::StartError;
use crate::faults::effect::TlsTrouble;
use crate::values::lock::lock;
pub(crate) use authority::Authority;
use authority::Leaf;
pub(crate) use trust::Trust;

pub(crate) type Secured = TlsStream<ConnectionIo>;

/// A handshake that went well.
pub(crate) struct Handshake {
    pub(crate) stream: Secured,
    pub(crate) certificate: Certificate,
}

/// Certificates at hand at once; accounts, and so names, come and go by the thousand.
const MOST_LEAVES: usize = 256;

/// A certificate at hand is made anew before it can expire, however long the server runs.
const RENEWAL: Duration = Duration::from_secs(30 * 24 * 3600);

/// The name for which a certificate is made that fits no client.
const ANOTHER_HOST: &str = "another-host.invalid";

/// Ends TLS for the server.
pub(crate) struct Terminator {
    accounts: Arc<Accounts>,
    authority: Authority,
    provider: Arc<CryptoProvider>,
    /// The names that stand for every account.
    own_names: Vec<String>,
    /// By the first of their names.
    at_hand: Mutex<HashMap<String, Ready>>,
}

/// A certificate as handshakes show it.
#[derive(Clone)]
struct Ready {
    config: Arc<ServerConfig>,
    made: Instant,
}

impl Terminator {
    /// Fails where a name that the server was given cannot stand in a certificate.
    pub(crate) fn new(accounts: &Arc<Accounts>, authority: Authority) -> Result<Self, StartError> {
        let own_names = own_names(accounts);
        if let Some(name) = own_names.iter().find(|name| !name.is_ascii()) {
            return Err(StartError::Settings(format!(
                "{name} cannot stand in a certificate; write the name in ASCII, as DNS has it: xn--..."
            )));
        }
        Ok(Self {
            accounts: Arc::clone(accounts),
            authority,
            provider: Arc::new(ring::default_provider()),
            own_names,
            at_hand: Mutex::default(),
        })
    }

    /// The connection behind its handshake.
    pub(crate) async fn accept(&self, wire: ConnectionIo) -> io::Result<Handshake> {
        let begun = LazyConfigAcceptor::new(Acceptor::default(), wire).await?;
        let names = self.names_for(begun.client_hello().server_name());
        let trouble = self.accounts.faults().hit_handshake(self.accounts.seed());
        let (config, certificate) = match trouble {
            Some(trouble) => (self.troubled(trouble, names)?, Certificate::Wrong),
            None => (self.ready(names)?, Certificate::Right),
        };
        let stream = begun.into_stream(config).await?;
        Ok(Handshake {
            stream,
            certificate,
        })
    }

    /// The names of the certificate for a client that asks for this one. Who asks for a name that nobody has here is
    /// shown the server's own, and refuses it by name.
    fn names_for(&self, asked: Option<&str>) -> Vec<String> {
        let of_an_account = asked.filter(|name| {
            !self.accounts.counts_as_loopback(name)
                && self.accounts.registry().has_portal_domain(name)
        });
        match of_an_account {
            Some(name) => vec![name.to_ascii_lowercase()],
            None => self.own_names.clone(),
        }
    }

    fn ready(&self, names: Vec<String>) -> io::Result<Arc<ServerConfig>> {
        let name = names.first().cloned().unwrap_or_default();
        let mut at_hand = lock(&self.at_hand);
        if let Some(ready) = at_hand.get(&name)
            && ready.made.elapsed() < RENEWAL
        {
            return Ok(Arc::clone(&ready.config));
        }
        if at_hand.len() >= MOST_LEAVES {
            at_hand.clear();
        }
        let leaf = self.authority.leaf(names, authority::leaf_validity());
        let config = self.showing(leaf.map_err(io::Error::other)?)?;
        let made = Instant::now();
        at_hand.insert(
            name,
            Ready {
                config: Arc::clone(&config),
                made,
            },
        );
        Ok(config)
    }

    /// A certificate that no client may accept, made for one handshake.
    fn troubled(&self, trouble: TlsTrouble, names: Vec<String>) -> io::Result<Arc<ServerConfig>> {
        let validity = authority::leaf_validity();
        let leaf = match trouble {
            TlsTrouble::Expired => self.authority.leaf(names, authority::past()),
            TlsTrouble::WrongHost => self.authority.leaf(vec![ANOTHER_HOST.to_owned()], validity),
            TlsTrouble::Untrusted => {
                Authority::stranger().and_then(|stranger| stranger.leaf(names, validity))
            }
        };
        self.showing(leaf.map_err(io::Error::other)?)
    }

    /// Handshakes that show a certificate, each of them: a session that is resumed shows none, and no fault could hit it.
    fn showing(&self, leaf: Leaf) -> io::Result<Arc<ServerConfig>> {
        let config = ServerConfig::builder_with_provider(Arc::clone(&self.provider));
        let config = config
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                let config = config.with_no_client_auth();
                config.with_single_cert(vec![leaf.certificate], leaf.key.into())
            });
        let mut config = config.map_err(io::Error::other)?;
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = 0;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

/// Loopback, the names that count like it, and what the server was told to listen on.
fn own_names(accounts: &Accounts) -> Vec<String> {
    let listens = accounts.settings.tls.iter().map(|tls| tls.listen.host());
    let stands_for_all = |host: &&str| {
        let address = host.parse::<std::net::IpAddr>();
        address.is_ok_and(|address| address.is_unspecified())
    };
    let given = accounts.settings.hosts.iter().map(String::as_str);
    let bare = given.map(|name| name.trim_start_matches('[').trim_end_matches(']'));
    let mut names: Vec<String> = Vec::new();
    for name in ["localhost", "127.0.0.1", "::1"]
        .into_iter()
        .chain(bare)
        .chain(listens.filter(|host| !stands_for_all(host)))
    {
        let name = name.to_ascii_lowercase();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
