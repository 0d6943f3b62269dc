//! A TCP stream that can be told to end with a reset.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How a connection will end, shared by the stream and the one who decides.
#[derive(Debug, Default)]
pub(super) struct Fate {
    reset: AtomicBool,
}

impl Fate {
    /// The connection will end with a reset.
    pub(super) fn reset(&self) {
        self.reset.store(true, Ordering::Relaxed);
    }
}

/// The stream of one connection.
pub(super) struct Wire {
    stream: TcpStream,
    fate: Arc<Fate>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, fate: Arc<Fate>) -> Self {
        Self { stream, fate }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if self.fate.reset.load(Ordering::Relaxed) {
            // Without lingering, closing the socket sends RST and discards what is unsent.
            let _ = self.stream.set_zero_linger();
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
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
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
