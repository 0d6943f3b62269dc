//! A wire between the program and the mock that ends the program at a chosen moment of a chosen call.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The moment at which the program is ended, of a call that changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Its line is in the journal, and the service never sees the call.
    Unsent,
    /// The service has done it, and neither its answer nor any later one reaches the program.
    Unanswered,
    /// The answer has reached the program's socket, and the program reads no more.
    Unwritten,
}

/// The process that is to be ended at a call, and when.
type Due = Option<(u32, Moment)>;

/// What somebody else does while a program runs.
type Act = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Plan {
    /// Calls that change something and were passed on.
    passed: usize,
    /// The process to end, when, and at which call from now.
    end: Option<(u32, Moment, usize)>,
    /// No answer is passed on any more.
    is_silent: bool,
    /// The moment has come: calls that begin until the process has ended are held back, however long that takes.
    is_ending: bool,
    /// What somebody else does before the call with this number from now is passed on.
    act: Option<(usize, Act)>,
}

/// The wire; it stays the same for all runs of a test, so that they are runs against one service.
pub struct Wire {
    url: String,
    plan: Arc<Shared>,
}

/// A plan, and what wakes those who wait for the end of a process.
#[derive(Default)]
struct Shared {
    plan: Mutex<Plan>,
    ended: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().expect("no panic")
    }

    /// The process has ended, and everything is passed on again.
    fn begin_anew(&self) {
        let mut plan = self.lock();
        plan.end = None;
        plan.is_silent = false;
        plan.is_ending = false;
        self.ended.notify_all();
    }

    /// Counts a call that begins, unless its process is being ended: that call is held back for good.
    fn begin_call(&self) -> Option<Due> {
        let mut plan = self.lock();
        if plan.is_ending {
            drop(self.ended.wait_while(plan, |plan| plan.is_ending));
            return None;
        }
        Some(plan.begin_call())
    }
}

impl Wire {
    /// A wire to this service.
    pub fn to(url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let own = listener.local_addr().expect("an address");
        let service = url.trim_start_matches("http://").trim_end_matches('/');
        let service = service.to_owned();
        let plan = Arc::new(Shared::default());
        let shared = Arc::clone(&plan);
        std::thread::spawn(move || {
            for program in listener.incoming().flatten() {
                let (service, plan) = (service.clone(), Arc::clone(&shared));
                std::thread::spawn(move || carry(program, &service, &plan));
            }
        });
        let url = format!("http://{own}");
        Self { url, plan }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many calls that change something it has passed on.
    pub fn passed(&self) -> usize {
        self.plan.lock().passed
    }

    /// Runs the program; somebody else acts before its nth call that changes something, if it comes to that.
    pub fn run_beside(&self, mut command: Command, nth: usize, act: Act) -> Output {
        self.plan.lock().act = Some((nth, act));
        let output = command.output().expect("the program starts");
        self.plan.lock().act = None;
        output
    }

    /// Runs the program, and ends it with `kill -9` at this moment of its nth call, if it comes to that.
    pub fn run_and_perhaps_kill(&self, mut command: Command, moment: Moment, nth: usize) -> Output {
        let mut plan = self.plan.lock();
        let child = command.spawn().expect("the program starts");
        plan.end = Some((child.id(), moment, nth));
        drop(plan);
        let output = child.wait_with_output().expect("the program ends");
        self.plan.begin_anew();
        output
    }

    /// Starts the program and ends it with `kill -9` at this moment of its nth call that changes something.
    pub fn run_and_kill(&self, mut command: Command, moment: Moment, nth: usize) {
        let mut plan = self.plan.lock();
        let mut child: Child = command.spawn().expect("the program starts");
        plan.end = Some((child.id(), moment, nth));
        drop(plan);
        let ended = child.wait().expect("the program ends");
        self.plan.begin_anew();
        assert_eq!(
            ended.code(),
            None,
            "it ended by itself before it could be killed"
        );
    }
}

impl Plan {
    /// What somebody else does before the call that begins now.
    fn act(&mut self) -> Option<Act> {
        let (left, act) = self.act.take()?;
        match left {
            0 | 1 => Some(act),
            more => {
                self.act = Some((more - 1, act));
                None
            }
        }
    }

    /// Counts a call that begins.
    fn begin_call(&mut self) -> Due {
        self.passed += 1;
        let (pid, moment, left) = self.end.as_mut()?;
        *left -= 1;
        let due = (*left == 0).then_some((*pid, *moment));
        if let Some((_, moment)) = due {
            self.end = None;
            self.is_silent = moment == Moment::Unanswered;
            self.is_ending = true;
        }
        due
    }
}

/// Carries the calls of one connection, one after the other.
fn carry(mut program: TcpStream, service: &str, plan: &Arc<Shared>) -> Option<()> {
    let mut service = TcpStream::connect(service).ok()?;
    let mut back = service.try_clone().ok()?;
    let mut to_program = program.try_clone().ok()?;
    let due: Arc<Mutex<Option<(u32, Moment)>>> = Arc::default();
    let due_of_answer = Arc::clone(&due);
    let plan_of_answers = Arc::clone(plan);
    std::thread::spawn(move || {
        while let Some(bytes) = read(&mut back) {
            let due = due_of_answer.lock().expect("no panic").take();
            if due.is_some() || !plan_of_answers.lock().is_silent {
                answer(&mut to_program, &bytes, due)?;
            }
        }
        // A service that closes an idle connection answers nothing more on it: the moment has come all the same.
        if let Some((pid, _)) = due_of_answer.lock().expect("no panic").take() {
            signal(pid, "-KILL")?;
        }
        to_program.shutdown(std::net::Shutdown::Both).ok()
    });
    while let Some(bytes) = read(&mut program) {
        let begins = |method: &[u8]| bytes.starts_with(method);
        if begins(b"POST ") || begins(b"DELETE ") {
            let act = plan.lock().act();
            if let Some(act) = act {
                act();
            }
            match plan.begin_call()? {
                Some((pid, Moment::Unsent)) => return signal(pid, "-KILL"),
                other => *due.lock().expect("no panic") = other,
            }
        }
        service.write_all(&bytes).ok()?;
    }
    service.shutdown(std::net::Shutdown::Both).ok()
}

fn answer(program: &mut TcpStream, bytes: &[u8], due: Option<(u32, Moment)>) -> Option<()> {
    match due {
        Some((pid, Moment::Unwritten)) => {
            signal(pid, "-STOP")?;
            program.write_all(bytes).ok()?;
            signal(pid, "-KILL")
        }
        Some((pid, _)) => signal(pid, "-KILL"),
        None => program.write_all(bytes).ok(),
    }
}

fn read(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 64 * 1024];
    let count = stream.read(&mut bytes).ok().filter(|count| *count > 0)?;
    bytes.truncate(count);
    Some(bytes)
}

/// Sends a signal to a process.
pub fn signal(pid: u32, signal: &str) -> Option<()> {
    let sent = Command::new("kill")
        .args([signal, &pid.to_string()])
        .status();
    sent.ok().filter(|status| status.success()).map(|_| ())
}
