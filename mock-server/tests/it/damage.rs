//! State files that are broken, of others or on a full disk: refused and left as they are, and
//! never less than what was acknowledged.

use std::path::Path;

use rusqlite::Connection;
use secmon_mock::StartError;
use serde_json::{Value, json};

use crate::client::{PATIENCE, Reply, coded, text};
use crate::durable::{Folder, acme, count_of, files, log_of, provision, seen, server};
use crate::program::{Program, command, run};

#[test]
fn a_second_server_on_the_file_is_refused() {
    let folder = Folder::new();
    let first = server(&folder.state()).expect("a server");
    let error = server(&folder.state()).expect_err("held");
    assert!(matches!(error, StartError::StateLocked { .. }));
    let state = folder.state();
    let arguments = [
        "--listen",
        "127.0.0.1:0",
        "--state",
        state.to_str().expect("a path"),
    ];
    let (code, out, error) = run(&mut command(&arguments));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.contains("held by another process"), "{error}");
    drop(first);
    server(&folder.state()).expect("free again");
}

/// Every way to spoil a file is refused in one sentence that leaves it as it was.
fn refuses(file: &Path, damaged: &[u8]) {
    std::fs::write(file, damaged).expect("a file");
    let error = server(file)
        .err()
        .unwrap_or_else(|| panic!("{} bytes were accepted", damaged.len()));
    assert!(matches!(error, StartError::State { .. }), "{error}");
    assert!(!error.to_string().contains('\n'), "{error}");
    assert_eq!(std::fs::read(file).expect("a file"), damaged, "{error}");
}

#[test]
fn a_broken_file_is_refused_and_left_untouched() {
    let folder = Folder::new();
    let file = folder.state();
    {
        let server = server(&file).expect("a server");
        provision(&acme(server.url()), "192.0.2.1");
    }
    let good = std::fs::read(&file).expect("a file");
    refuses(&file, b"this is no state file");
    refuses(&file, &good[..good.len() / 2]);
    refuses(&file, &good[..100]);
    std::fs::write(&file, &good).expect("a file");
    server(&file).expect("the good file is still good");
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    let folder = Folder::new();
    let file = folder.state();
    let before = {
        let server = server(&file).expect("a server");
        let caller = acme(server.url());
        provision(&caller, "192.0.2.1");
        seen(&caller)
    };
    let good = std::fs::read(&file).expect("a file");
    let mut refused = 0;
    let mut state = 1_u64;
    for _ in 0..150 {
        // Knuth's generator: the same places, all over the file, in every run.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let place = (state >> 33) as usize % (good.len() * 8);
        let mut damaged = good.clone();
        damaged[place / 8] ^= 1 << (place % 8);
        std::fs::write(&file, &damaged).expect("a file");
        match server(&file) {
            Err(StartError::State { .. }) => refused += 1,
            Err(error) => panic!("bit {place}: {error}"),
            Ok(server) => assert_eq!(seen(&acme(server.url())), before, "bit {place}"),
        }
    }
    assert!(refused > 0);
}

#[test]
fn a_record_that_was_changed_is_refused_whatever_of_it_it_was() {
    let folder = Folder::new();
    let file = folder.state();
    {
        let server = server(&file).expect("a server");
        provision(&acme(server.url()), "192.0.2.1");
    }
    let good = std::fs::read(&file).expect("a file");
    let changes = [
        "value = CAST(replace(value, '192.0.2.1', '192.0.2.3') AS BLOB)",
        "value = substr(value, 2)",
        "key = key || '0' WHERE account = 'acme'",
        "\"table\" = \"table\" || 's' WHERE account = 'acme'",
        "account = 'acmf' WHERE account = 'acme'",
        "checksum = checksum + 1",
        "checksum = -checksum",
    ];
    for change in changes {
        std::fs::write(&file, &good).expect("a file");
        let database = Connection::open(&file).expect("a database");
        let update = format!("UPDATE records SET {change}");
        assert!(database.execute(&update, ()).expect("an update") > 0);
        drop(database);
        let damaged = std::fs::read(&file).expect("a file");
        assert!(damaged != good, "{change}");
        refuses(&file, &damaged);
        let error = server(&file).expect_err("it is refused").to_string();
        assert!(error.contains("checksum"), "{change}: {error}");
        assert_eq!(files(&folder), ["state.sqlite"], "{change}");
    }
}

/// What `kill -9` leaves, and what a customer saw after each change.
struct Left {
    file: Vec<u8>,
    log: Vec<u8>,
    /// Written beside them only where a test says so.
    count: String,
    seen: Vec<Vec<Value>>,
}

impl Left {
    fn by_kill_9() -> Self {
        let mut tries = std::iter::repeat_with(Self::in_one_go).take(100);
        tries
            .find_map(|left| left)
            .expect("changes within a second")
    }

    fn in_one_go() -> Option<Self> {
        let folder = Folder::new();
        let file = folder.state();
        let server = server(&file).expect("a server");
        let caller = acme(server.url());
        let mut all_seen = vec![seen(&caller)];
        for last in 1..=5 {
            provision(&caller, &format!("192.0.2.{last}"));
            all_seen.push(seen(&caller));
        }
        let read = |path: &Path| std::fs::read(path).expect("a file");
        let left = Self {
            log: read(&log_of(&file)),
            file: read(&file),
            count: std::fs::read_to_string(count_of(&file)).expect("a count"),
            seen: all_seen,
        };
        let is_at_once = read(&log_of(&file)) == left.log && !left.log.is_empty();
        // Where the changes took a second, the log is in the file already.
        is_at_once.then_some(left)
    }

    /// What a customer sees in it; nothing where it is refused, and then it is left as it is.
    fn opened(&self, folder: &Folder) -> Option<Vec<Value>> {
        let file = folder.state();
        std::fs::write(&file, &self.file).expect("a file");
        std::fs::write(log_of(&file), &self.log).expect("a log");
        match server(&file) {
            Ok(server) => Some(seen(&acme(server.url()))),
            Err(StartError::State { .. }) => {
                assert_eq!(std::fs::read(&file).expect("a file"), self.file);
                assert_eq!(std::fs::read(log_of(&file)).expect("a log"), self.log);
                assert_eq!(files(folder).len(), 2);
                std::fs::remove_file(log_of(&file)).expect("a log");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_file_left_by_kill_9_is_exported_with_its_last_change_and_left_as_it_is() {
    let folder = Folder::new();
    let file = folder.state();
    let left = Left::by_kill_9();
    std::fs::write(&file, &left.file).expect("a file");
    std::fs::write(log_of(&file), &left.log).expect("a log");
    let state = file.to_str().expect("a path");
    let (code, document, error) = run(&mut command(&["export", "--state", state]));
    assert_eq!(code, Some(0), "{error}");
    assert!(document.contains("192.0.2.5"));
    assert_eq!(std::fs::read(&file).expect("a file"), left.file);
    assert_eq!(std::fs::read(log_of(&file)).expect("a log"), left.log);
    assert_eq!(files(&folder).len(), 2);
}

#[test]
fn a_file_that_a_server_has_is_not_exported() {
    let folder = Folder::new();
    let state = folder.state();
    let state = state.to_str().expect("a path");
    let _program = Program::start(&["--state", state]);
    let (code, out, error) = run(&mut command(&["export", "--state", state]));
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(error.contains("held by another process"), "{error}");
}

/// Two hundred places in some bytes, where they are not zero.
fn places(bytes: &[u8]) -> Vec<usize> {
    let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
    (0..200).map(|step| used[step * used.len() / 200]).collect()
}

#[test]
fn a_flipped_bit_in_a_file_left_by_kill_9_is_refused_or_changes_nothing() {
    let folder = Folder::new();
    let mut left = Left::by_kill_9();
    assert_eq!(left.opened(&folder).as_ref(), left.seen.last());
    for at in 0..100.min(left.file.len()) {
        left.file[at] ^= 1 << (at % 8);
        if let Some(seen) = left.opened(&folder) {
            assert_eq!(Some(&seen), left.seen.last(), "{at}");
        }
        left.file[at] ^= 1 << (at % 8);
    }
    for at in places(&left.file) {
        left.file[at] ^= 1 << (at % 8);
        if let Some(seen) = left.opened(&folder) {
            assert_eq!(Some(&seen), left.seen.last(), "{at}");
        }
        left.file[at] ^= 1 << (at % 8);
    }
}

/// To SQLite, a wrong bit in the log looks like the change that the crash cut off: the log ends
/// there, between two changes.
#[test]
fn a_flipped_bit_in_a_log_left_by_kill_9_is_refused_or_ends_it_between_two_changes() {
    let folder = Folder::new();
    let mut left = Left::by_kill_9();
    for at in places(&left.log) {
        left.log[at] ^= 1 << (at % 8);
        if let Some(seen) = left.opened(&folder) {
            assert!(left.seen.contains(&seen), "{at}: {seen:?}");
        }
        left.log[at] ^= 1 << (at % 8);
    }
}

#[test]
fn another_programs_database_is_refused_and_so_is_an_empty_file() {
    let folder = Folder::new();
    let file = folder.state();
    for mode in ["DELETE", "WAL"] {
        let database = Connection::open(&file).expect("a database");
        database
            .pragma_update(None, "journal_mode", mode)
            .expect("a mode");
        let theirs = "CREATE TABLE theirs (count); INSERT INTO theirs VALUES (1)";
        database.execute_batch(theirs).expect("a row");
        drop(database);
        let theirs = std::fs::read(&file).expect("a file");
        refuses(&file, &theirs);
        std::fs::remove_file(&file).expect("a file");
    }
    std::fs::write(&file, b"").expect("a file");
    refuses(&file, b"");
    let error = server(&file).expect_err("it is refused").to_string();
    assert!(error.contains("it is empty"), "{error}");
}

/// A program that finds the disk full when a file grows beyond 2 MiB.
#[cfg(unix)]
fn on_a_full_disk(state: &Path) -> Program {
    let limited = "trap '' XFSZ; ulimit -f 4096; exec \"$@\"";
    let mut program = command(&["--rate-limit", "off", "--clock", "manual"]);
    program.arg("--state").arg(state);
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", limited, "sh"]).arg(program.get_program());
    shell.args(program.get_args());
    Program::of(shell)
}

#[cfg(unix)]
#[test]
fn after_a_failed_write_nothing_is_acknowledged_and_nothing_acknowledged_is_lost() {
    let folder = Folder::new();
    let state = folder.state();
    let mut program = on_a_full_disk(&state);
    let caller = program.caller().with_key("test_key_acme").unjudged();
    let add = |number: u64| {
        let body = json!({
            "client_id": number / 20 + 1,
            "ip_address": format!("10.0.{}.{}", number / 250, number % 250 + 1),
            "hostname": "h".repeat(250),
        });
        caller.post("/api/v1/billing/provision", body)
    };
    let mut acknowledged = Vec::new();
    let refused = loop {
        let reply = add(acknowledged.len() as u64);
        if reply.status != 201 {
            break reply;
        }
        acknowledged.push(text(&reply.at("/data/endpoint_id")));
        assert!(acknowledged.len() < 10_000, "the disk never fills");
    };
    let not_saved = |reply: Reply| coded(reply, 500, "STATE_NOT_SAVED");
    not_saved(refused);
    not_saved(add(acknowledged.len() as u64));
    let suspend = json!({ "endpoint_id": acknowledged[0] });
    for _ in 0..2 {
        not_saved(caller.post("/api/v1/billing/suspend", suspend.clone()));
    }
    not_saved(caller.get("/api/v1/endpoints"));
    not_saved(caller.with_key("nobody").get("/api/v1/endpoints"));
    for _ in 0..2 {
        let body = json!({ "name": "mine" });
        caller.post("/_mock/tenants", body).expect(500);
    }
    caller.get("/_mock/clock").expect(500);
    caller.get("/_mock/tenants/nobody/clock").expect(500);
    caller.get("/_mock/health").expect(503);
    assert_eq!(program.terminate().code(), Some(0));
    let said = program.errors();
    let errors: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("error: "))
        .collect();
    assert_eq!(errors.len(), 1, "{said}");
    assert!(errors[0].contains("could not be saved"), "{said}");

    let server = server(&state).expect("a server");
    let caller = acme(server.url());
    let list = caller.get("/api/v1/endpoints");
    assert_eq!(list.at("/meta/total"), acknowledged.len());
    let first = caller.get(&format!("/api/v1/endpoints/{}", acknowledged[0]));
    assert_eq!(first.at("/data/status"), "active");
}

#[test]
fn a_newer_format_is_refused() {
    let folder = Folder::new();
    let file = folder.state();
    drop(server(&file).expect("a server"));
    let database = Connection::open(&file).expect("a database");
    database
        .pragma_update(None, "user_version", 99)
        .expect("a format");
    drop(database);
    let damaged = std::fs::read(&file).expect("a file");
    let error = server(&file).expect_err("a newer format");
    assert!(error.to_string().contains("newer"), "{error}");
    assert_eq!(std::fs::read(&file).expect("a file"), damaged);
}

/// What a server sees of files where so many changes are counted.
fn opened_counted(left: &Left, log: Option<&[u8]>, count: &str) -> Result<Vec<Value>, String> {
    let folder = Folder::new();
    let file = folder.state();
    std::fs::write(&file, &left.file).expect("a file");
    if let Some(log) = log {
        std::fs::write(log_of(&file), log).expect("a log");
    }
    std::fs::write(count_of(&file), count).expect("a count");
    match server(&file) {
        Ok(server) => Ok(seen(&acme(server.url()))),
        Err(error) => {
            assert_eq!(std::fs::read(&file).expect("a file"), left.file);
            assert_eq!(
                std::fs::read_to_string(count_of(&file)).expect("a count"),
                count
            );
            Err(error.to_string())
        }
    }
}

#[test]
fn a_log_that_lost_acknowledged_changes_is_refused_m3() {
    let mut left = Left::by_kill_9();
    let (log, count) = (left.log.clone(), left.count.clone());
    let last = left.seen.pop().expect("a last change");
    let before_last = left.seen.pop().expect("one before");
    let opened = |log: Option<&[u8]>, count: &str| opened_counted(&left, log, count);
    assert_eq!(opened(Some(&log), &count).as_ref(), Ok(&last));

    let torn = &log[..log.len() - 1];
    for log in [None, Some(&[][..]), Some(&log[..log.len() / 2]), Some(torn)] {
        let refused = opened(log, &count).expect_err("changes are missing");
        assert!(refused.contains("acknowledged changes"), "{refused}");
        assert!(refused.contains("-wal"), "{refused}");
    }
    for at in places(&log).into_iter().step_by(5) {
        let mut flipped = log.clone();
        flipped[at] ^= 1 << (at % 8);
        if let Ok(seen) = opened(Some(&flipped), &count) {
            assert_eq!(seen, last, "{at}");
        }
    }

    let number = u32::from_str_radix(count[9..].trim(), 16).expect("a number");
    let not_acknowledged = format!("{}{:08x}\n", &count[..9], number - 1);
    assert_eq!(opened(Some(torn), &not_acknowledged), Ok(before_last));
    assert_eq!(opened(Some(&log), &not_acknowledged).as_ref(), Ok(&last));
    // Nothing is known of another run, nor by a count that a power cut has emptied.
    for count in [&format!("{}{}", "0".repeat(8), &count[8..]), "", "zzz"] {
        opened(None, count).expect("what nobody can tell apart");
    }
}

/// What somebody does to a state file.
type Action<'a> = &'a dyn Fn(&Path) -> std::io::Result<()>;

#[test]
fn a_state_file_that_is_gone_or_another_is_noticed_before_the_next_acknowledgement_m2() {
    let away = |path: &Path| std::fs::rename(path, path.with_extension("away"));
    let replaced = |path: &Path| {
        let copy = path.with_extension("copy");
        std::fs::copy(path, &copy).and_then(|_| std::fs::rename(copy, path))
    };
    let actions: [(&str, Action<'_>); 6] = [
        ("deleted", &|state| std::fs::remove_file(state)),
        ("moved", &away),
        ("replaced", &replaced),
        ("written to", &|state| std::fs::write(state, "another text")),
        ("deleted", &|state| std::fs::remove_file(log_of(state))),
        ("replaced", &|state| replaced(&log_of(state))),
    ];
    for (reason, action) in actions {
        let folder = Folder::new();
        let server = server(&folder.state()).expect("a server");
        let caller = acme(server.url()).unjudged();
        provision(&caller, "192.0.2.1");
        caller.get("/_mock/health").expect(200);
        action(&folder.state()).expect(reason);
        let body = json!({ "client_id": 42, "ip_address": "192.0.2.2" });
        let refused = caller.post("/api/v1/billing/provision", body);
        let refused = coded(refused, 500, "STATE_NOT_SAVED");
        let said = text(&refused.at("/error/message"));
        assert!(said.contains(reason), "{said}");
        let health = caller.get("/_mock/health").expect(503);
        assert!(health.text().contains(reason), "{}", health.text());
    }
}

#[test]
fn health_and_ready_notice_a_state_file_that_is_gone_without_a_change_m14() {
    let folder = Folder::new();
    let server = server(&folder.state()).expect("a server");
    let caller = acme(server.url()).unjudged();
    let ready = || {
        run(&mut command(&[
            "ready",
            "--url",
            server.url(),
            "--timeout",
            "0s",
        ]))
    };
    assert_eq!(ready().0, Some(0));
    std::fs::remove_file(folder.state()).expect("a file");
    let (code, _, error) = ready();
    assert_eq!(code, Some(1));
    assert!(error.contains("deleted or moved"), "{error}");
    assert!(error.contains("state.sqlite"), "{error}");
    coded(caller.get("/api/v1/endpoints"), 500, "STATE_NOT_SAVED");
}

#[test]
fn a_copy_is_whole_once_nothing_was_changed_for_a_second_m3() {
    let folder = Folder::new();
    let server_of_all = server(&folder.state()).expect("a server");
    let caller = acme(server_of_all.url());
    for last in 1..=3 {
        provision(&caller, &format!("192.0.2.{last}"));
    }
    let end = std::time::Instant::now() + PATIENCE;
    let is_logged = || {
        std::fs::metadata(log_of(&folder.state()))
            .expect("a log")
            .len()
            > 0
    };
    while is_logged() {
        assert!(std::time::Instant::now() < end, "the log stays");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let copies = Folder::new();
    std::fs::copy(folder.state(), copies.state()).expect("a copy");
    let copy = server(&copies.state()).expect("a server");
    assert_eq!(seen(&acme(copy.url())), seen(&caller));
    provision(&caller, "192.0.2.4");
    caller.get("/_mock/health").expect(200);
}
