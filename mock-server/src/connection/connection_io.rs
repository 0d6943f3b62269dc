//! A TCP stream that can be told to end with a reset.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// Whether a connection will end with a reset, shared by the stream and the one who decides.
#[derive(Debug, Default)]
pub(super) struct ResetSwitch {
    reset: AtomicBool,
}

impl ResetSwitch {
    /// The connection will end with a reset.
    pub(super) fn arm(&self) {
        self.reset.store(true, Ordering::Relaxed);
    }
}

/// How long an answer may wait for a client that reads none of it.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);

/// The stream of one connection.
pub(crate) struct ConnectionIo {
    stream: TcpStream,
    reset_switch: Arc<ResetSwitch>,
    /// Runs while the client takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl ConnectionIo {
    pub(super) fn new(stream: TcpStream, reset_switch: Arc<ResetSwitch>) -> Self {
        Self {
            stream,
            reset_switch,
            stalled: None,
        }
    }

    /// What came of a write; an error once nothing could be written for too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(sleep(WRITE_TIMEOUT)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Drop for ConnectionIo {
    fn drop(&mut self) {
        if self.reset_switch.reset.load(Ordering::Relaxed) {
            // Without lingering, closing the socket sends RST and discards what is unsent.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for ConnectionIo {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for ConnectionIo {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.in_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_reads_nothing_is_not_waited_for_without_end() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a socket");
        let address = listener.local_addr().expect("an address");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (_client, (stream, _)) = (client.expect("a client"), accepted.expect("a stream"));
        let mut wire = ConnectionIo::new(stream, Arc::default());
        let bytes = vec![0; 64 * 1024 * 1024];
        let ended = tokio::time::timeout(WRITE_TIMEOUT * 2, wire.write_all(&bytes)).await;
        let ended = ended.expect("it is given up");
        assert_eq!(
            ended.expect_err("nobody reads").kind(),
            io::ErrorKind::TimedOut
        );
    }
}
