//! The state file on probation: until every record in it was read and found good, nothing is
//! written to it, so that a file that is refused is left as it was.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

const BLOCK: u64 = 4096;

/// A storage backend over a locked file. Clones share the file.
#[derive(Clone, Debug)]
pub(super) struct ProbationFile(Arc<Mutex<Contents>>);

#[derive(Debug)]
struct Contents {
    file: File,
    /// What would have been written, while on probation.
    held_back: Option<HeldBack>,
}

#[derive(Debug)]
struct HeldBack {
    length: u64,
    /// How much of the file's own bytes still shows: what was cut off reads as zeros.
    visible: u64,
    /// Whole blocks as they would be, by block number.
    blocks: BTreeMap<u64, Vec<u8>>,
}

impl ProbationFile {
    pub(super) fn new(file: File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let held_back = Some(HeldBack {
            length,
            visible: length,
            blocks: BTreeMap::new(),
        });
        Ok(Self(Arc::new(Mutex::new(Contents { file, held_back }))))
    }

    /// Ends the probation: what was held back is written, and from now on every write is.
    pub(super) fn trust(&self) -> io::Result<()> {
        let mut contents = self.lock();
        let Some(held_back) = contents.held_back.take() else {
            return Ok(());
        };
        contents.file.set_len(held_back.visible)?;
        contents.file.set_len(held_back.length)?;
        for (number, block) in held_back.blocks {
            let start = number * BLOCK;
            let end = held_back.length.min(start + BLOCK);
            let kept = usize::try_from(end.saturating_sub(start)).unwrap_or(block.len());
            contents.file.seek(SeekFrom::Start(start))?;
            contents.file.write_all(&block[..kept])?;
        }
        contents.file.sync_data()
    }

    /// Writes a copy of the file itself, without what is held back. It can be read by whom the file
    /// can be read by.
    pub(super) fn copy_to(&self, path: &Path) -> io::Result<()> {
        let file = &mut self.lock().file;
        let mut copy = File::create(path)?;
        copy.set_permissions(file.metadata()?.permissions())?;
        file.seek(SeekFrom::Start(0))?;
        io::copy(file, &mut copy)?;
        copy.sync_all()
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Contents {
    fn length(&self) -> io::Result<u64> {
        match &self.held_back {
            Some(held_back) => Ok(held_back.length),
            None => Ok(self.file.metadata()?.len()),
        }
    }

    /// Reads from the file itself; what lies beyond its end reads as zeros.
    fn read_file(&mut self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let visible = self
            .held_back
            .as_ref()
            .map_or(u64::MAX, |held_back| held_back.visible);
        let wanted = usize::try_from(visible.saturating_sub(offset)).unwrap_or(usize::MAX);
        let wanted = wanted.min(out.len());
        self.file.seek(SeekFrom::Start(offset))?;
        let mut filled = 0;
        while filled < wanted {
            match self.file.read(&mut out[filled..wanted])? {
                0 => break,
                count => filled += count,
            }
        }
        out[filled..].fill(0);
        Ok(())
    }

    fn read(&mut self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > self.length().unwrap_or(0)) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(offset, out)?;
        let Some(held_back) = &self.held_back else {
            return Ok(());
        };
        for piece in pieces(offset, out.len()) {
            if let Some(block) = held_back.blocks.get(&piece.block) {
                out[piece.outer.clone()].copy_from_slice(&block[piece.inner.clone()]);
            }
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        if self.held_back.is_none() {
            self.file.seek(SeekFrom::Start(offset))?;
            return self.file.write_all(data);
        }
        for piece in pieces(offset, data.len()) {
            let block = self.held_block(piece.block)?;
            block[piece.inner.clone()].copy_from_slice(&data[piece.outer.clone()]);
        }
        Ok(())
    }

    /// A block to hold back, at first as it is in the file.
    fn held_block(&mut self, number: u64) -> io::Result<&mut Vec<u8>> {
        let mut fresh = vec![0; BLOCK as usize];
        let known = self
            .held_back
            .as_ref()
            .is_some_and(|held| held.blocks.contains_key(&number));
        if !known {
            self.read_file(number * BLOCK, &mut fresh)?;
        }
        let held_back = self.held_back.as_mut().ok_or(io::ErrorKind::InvalidInput)?;
        Ok(held_back.blocks.entry(number).or_insert(fresh))
    }
}

/// The part of a span that lies in one block.
struct Piece {
    block: u64,
    /// Where the part lies in the block.
    inner: std::ops::Range<usize>,
    /// Where the part lies in the span.
    outer: std::ops::Range<usize>,
}

fn pieces(offset: u64, length: usize) -> impl Iterator<Item = Piece> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == length {
            return None;
        }
        let at = offset + done as u64;
        let within = (at % BLOCK) as usize;
        let size = (BLOCK as usize - within).min(length - done);
        let piece = Piece {
            block: at / BLOCK,
            inner: within..within + size,
            outer: done..done + size,
        };
        done += size;
        Some(piece)
    })
}

impl StorageBackend for ProbationFile {
    fn len(&self) -> io::Result<u64> {
        self.lock().length()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.lock().read(offset, out)
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        let mut contents = self.lock();
        let Some(held_back) = &mut contents.held_back else {
            return contents.file.set_len(length);
        };
        held_back.blocks.retain(|number, _| number * BLOCK < length);
        if let Some(last) = held_back.blocks.get_mut(&(length / BLOCK)) {
            last[(length % BLOCK) as usize..].fill(0);
        }
        held_back.visible = held_back.visible.min(length);
        held_back.length = length;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let contents = self.lock();
        match contents.held_back {
            Some(_) => Ok(()),
            None => contents.file.sync_data(),
        }
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.lock().write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.lock().file.unlock()
    }
}
