//! TLS to Redis over rustls with ring and the system's trust store: no process-wide provider is looked for or set.

use std::sync::Arc;

use ::redis::aio::MultiplexedConnection;
use ::redis::{AsyncConnectionConfig, Client, ConnectionAddr, RedisResult};
use rustls::ClientConfig;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::Error;

/// A server that is spoken to over TLS.
pub(super) struct Tls {
    connector: TlsConnector,
    host: String,
    port: u16,
    certified: ServerName<'static>,
}

impl Tls {
    pub(super) fn of(client: &Client) -> Result<Self, Error> {
        let ConnectionAddr::Tcp(host, port) = client.get_connection_info().addr().clone() else {
            return Err(Error::configuration(
                "the Redis budget speaks TLS to a host and port only",
            ));
        };
        let certified = ServerName::try_from(host.clone()).map_err(|_| {
            Error::configuration("no certificate can be for the host of the Redis budget")
        })?;
        let config = config().map_err(|error| {
            Error::configuration(format!("TLS to Redis cannot be set up: {error}"))
        })?;
        Ok(Self {
            connector: TlsConnector::from(Arc::new(config)),
            host,
            port,
            certified,
        })
    }

    pub(super) async fn connect(
        &self,
        client: &Client,
        config: AsyncConnectionConfig,
    ) -> RedisResult<MultiplexedConnection> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        let stream = self
            .connector
            .connect(self.certified.clone(), stream)
            .await?;
        let settings = client.get_connection_info().redis_settings();
        let (connection, driver) =
            MultiplexedConnection::new_with_config(settings, stream, config).await?;
        // Ends with the last clone of the connection.
        tokio::spawn(driver);
        Ok(connection)
    }
}

fn config() -> Result<ClientConfig, rustls::Error> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions()?;
    Ok(builder.with_platform_verifier()?.with_no_client_auth())
}
