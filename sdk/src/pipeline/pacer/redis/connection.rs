//! How Redis is reached.

use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use ::redis::aio::{ConnectionManager, MultiplexedConnection};
use ::redis::{AsyncConnectionConfig, Client, Cmd, RedisResult, parse_redis_url};
use tokio::runtime::{Handle, Id};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

#[cfg(feature = "redis-tls")]
use super::tls::Tls;
use crate::Error;
use crate::pipeline::runtime::check_io;

/// The longest time for Redis to take a connection and to answer.
pub(super) const REDIS_TIME: Duration = Duration::from_secs(2);

/// A connection of the caller's own, for [`RedisRateLimiter::with_connection`](super::RedisRateLimiter::with_connection).
///
/// A `ConnectionManager` connects again by itself when its connection is lost. A `MultiplexedConnection` does not: the
/// budget is [unavailable](crate::pacing::RateLimiterError::Unavailable) from then on.
#[derive(Clone)]
pub struct RedisConnection(Kind);

impl fmt::Debug for RedisConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RedisConnection")
            .field(&self.name())
            .finish()
    }
}

#[derive(Clone)]
enum Kind {
    Managed(ConnectionManager),
    Multiplexed(MultiplexedConnection),
    Address(Arc<Address>),
}

impl From<ConnectionManager> for RedisConnection {
    fn from(connection: ConnectionManager) -> Self {
        Self(Kind::Managed(connection))
    }
}

impl From<MultiplexedConnection> for RedisConnection {
    fn from(connection: MultiplexedConnection) -> Self {
        Self(Kind::Multiplexed(connection))
    }
}

impl RedisConnection {
    pub(super) fn at(url: &str) -> Result<Self, Error> {
        Ok(Self(Kind::Address(Arc::new(Address::read(url)?))))
    }

    /// What an error calls the server: its host and port where they are known, never user and password.
    pub(super) fn name(&self) -> String {
        match &self.0 {
            Kind::Address(address) => {
                format!("Redis at {}", address.client.get_connection_info().addr())
            }
            Kind::Managed(_) | Kind::Multiplexed(_) => "Redis".to_owned(),
        }
    }

    pub(super) async fn run(&self, command: &Cmd) -> RedisResult<Vec<i64>> {
        let reply = timeout(REDIS_TIME, async {
            match &self.0 {
                Kind::Managed(connection) => command.query_async(&mut connection.clone()).await,
                Kind::Multiplexed(connection) => command.query_async(&mut connection.clone()).await,
                Kind::Address(address) => {
                    command.query_async(&mut address.connection().await?).await
                }
            }
        });
        let reply = reply.await.unwrap_or_else(|_| {
            let late = format!("no answer within {REDIS_TIME:?}");
            Err(io::Error::new(io::ErrorKind::TimedOut, late).into())
        });
        if let (Err(_), Kind::Address(address)) = (&reply, &self.0) {
            address.forget_connection();
        }
        reply
    }
}

/// A server that the first command connects to, and the next one again when the connection is lost.
struct Address {
    client: Client,
    #[cfg(feature = "redis-tls")]
    tls: Option<Tls>,
    connection: AsyncMutex<Option<RuntimeConnection>>,
}

/// A connection stands still while the runtime that made it does, so each runtime makes its own (F16).
struct RuntimeConnection {
    runtime: Id,
    connection: MultiplexedConnection,
}

impl Address {
    fn read(url: &str) -> Result<Self, Error> {
        // The reason would be of no help here, and could repeat the password.
        let unusable = || {
            Error::configuration(
                "the address of the Redis budget cannot be used: it must look like redis://host:6379/0",
            )
        };
        let mut url = parse_redis_url(url).ok_or_else(unusable)?;
        // TLS is not left to the Redis client, which goes by a crypto provider of the whole process.
        let without_tls = match url.scheme() {
            "rediss" => Some("redis"),
            "valkeys" => Some("valkey"),
            _ => None,
        };
        if let Some(scheme) = without_tls {
            url.set_scheme(scheme).map_err(|()| unusable())?;
        }
        let client = Client::open(url).map_err(|_| unusable())?;
        #[cfg(not(feature = "redis-tls"))]
        if without_tls.is_some() {
            return Err(Error::configuration(
                "the address of the Redis budget asks for TLS: build secmon with its feature `redis-tls`, or give a \
                 connection of your own to RedisRateLimiter::with_connection",
            ));
        }
        Ok(Self {
            #[cfg(feature = "redis-tls")]
            tls: match without_tls {
                Some(_) => Some(Tls::of(&client)?),
                None => None,
            },
            client,
            connection: AsyncMutex::default(),
        })
    }

    async fn connection(&self) -> RedisResult<MultiplexedConnection> {
        let runtime = Handle::current().id();
        let mut connected = self.connection.lock().await;
        match &*connected {
            Some(here) if here.runtime == runtime => Ok(here.connection.clone()),
            _ => {
                let connection = self.connect().await?;
                *connected = Some(RuntimeConnection {
                    runtime,
                    connection: connection.clone(),
                });
                Ok(connection)
            }
        }
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        check_io().map_err(io::Error::other)?;
        // Its whole time is bounded above.
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(None)
            .set_response_timeout(None);
        #[cfg(feature = "redis-tls")]
        if let Some(tls) = &self.tls {
            return tls.connect(&self.client, config).await;
        }
        let connecting = self
            .client
            .get_multiplexed_async_connection_with_config(&config);
        connecting.await
    }

    /// The next command has a new one.
    fn forget_connection(&self) {
        // Whoever holds the lock is connecting.
        if let Ok(mut connected) = self.connection.try_lock() {
            *connected = None;
        }
    }
}
