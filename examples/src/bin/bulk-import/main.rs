//! Has many servers monitored at once: a CSV file with one a line.
//!
//! Columns are `customer` and `ip_address` or `hostname`, and, if you like, `service` and `client_name`. All mistakes of
//! the file are named by line before anything is sent. The import goes at the pace of the key, 60 calls a minute, behind
//! everybody who waits at a screen. `FILE.done` remembers what is done, so an import that was stopped, or that met a full
//! plan, is started again with the same command.
//!
//! ```sh
//! cargo build -p secmon-mock -p secmon-examples
//! target/debug/secmon-mock exec -- target/debug/bulk-import examples/servers.csv
//! ```
//!
//! It needs what [`secmon_examples::connect`] reads from the environment, and ends with the codes of
//! [`secmon_examples::end`]. `servers.rs` reads the file.

mod servers;

use crate::servers::Server;
use secmon::operations::EndpointState;
use secmon::{Client, Response};
use secmon_examples::connect;
use secmon_examples::end::{self, End};
use secmon_examples::journal::Journal;
use secmon_examples::policy::{self, Next};
use std::error::Error;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use tokio::task::JoinSet;

/// Calls under way at once; the client keeps their number per minute.
const IN_FLIGHT: usize = 4;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    end::exit("bulk-import", run().await)
}

async fn run() -> Result<End, Box<dyn Error>> {
    let [file] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("name the file with the servers: bulk-import SERVERS.csv".into());
    };
    let servers = servers::read(Path::new(file))?;
    let journal = Journal::open(Path::new(&format!("{file}.done")))?;
    let all = servers.len();
    let left: Vec<Server> = servers
        .into_iter()
        .filter(|server| !journal.has(&server.name))
        .collect();
    println!("{all} servers, {} of them done before", all - left.len());
    let client = connect::for_the_background(&connect::from_environment()?.build()?);
    let import = Import {
        journal,
        done: 0,
        refused: 0,
        stopped: None,
    };
    Ok(import.run(&client, left).await?)
}

/// How far an import is.
struct Import {
    journal: Journal,
    done: usize,
    refused: usize,
    /// What keeps one server because of the service, the network or the key keeps all of them.
    stopped: Option<Next>,
}

impl Import {
    async fn run(mut self, client: &Client, servers: Vec<Server>) -> io::Result<End> {
        let (all, mut todo, mut running) = (servers.len(), servers.into_iter(), JoinSet::new());
        loop {
            while running.len() < IN_FLIGHT && self.stopped.is_none() {
                let Some(server) = todo.next() else { break };
                let client = client.clone();
                running.spawn(async move {
                    let result = client.send(server.request.clone()).await;
                    (server, result)
                });
            }
            match running.join_next().await {
                Some(Ok((server, result))) => {
                    let next = match result {
                        Ok(answer) => self.provisioned(&server, &answer),
                        Err(error) => policy::next(&error),
                    };
                    self.take(&server, next)?;
                }
                Some(Err(lost)) => return Err(io::Error::other(lost)),
                None => break,
            }
        }
        let left = all - self.done - self.refused;
        println!("{} done, {} refused, {left} left", self.done, self.refused);
        let refused = if self.refused > 0 {
            End::Look
        } else {
            End::Done
        };
        Ok(self.stopped.map_or(refused, |next| {
            println!("stopped: {next}");
            End::from(&next).max(refused)
        }))
    }

    fn provisioned(&self, server: &Server, answer: &Response<EndpointState>) -> Next {
        let status = answer.data.status.as_str();
        if status != "active" {
            return Next::AskOperator(format!("it is monitored already, and {status}"));
        }
        // A note is no failure: the server was there already.
        let text = match answer.was_created() {
            Some(true) => "monitored from now on",
            Some(false) => answer.note().unwrap_or("monitored already"),
            None => "monitored",
        };
        println!("{server}: {text}");
        Next::Done
    }

    fn take(&mut self, server: &Server, next: Next) -> io::Result<()> {
        match next {
            Next::Done => {
                self.journal.add(&server.name)?;
                self.done += 1;
            }
            Next::AskCustomer(_) | Next::AskOperator(_) => {
                println!("{server}: {next}");
                self.refused += 1;
            }
            // Provisioning once more gives the same server, so a repeat is as good as a look.
            next => self.stopped = Some(self.stopped.take().unwrap_or(next)),
        }
        Ok(())
    }
}
