//! Which terminal and which process this is, so that two of them are told apart.

/// The terminal: its POSIX session, of this boot of the computer. Empty where the platform does not tell one boot or one
/// process from the next.
pub fn session() -> String {
    let leader = session_leader();
    let (boot, start) = (boot_id(), start_of(leader));
    match boot.is_empty() || start.is_empty() {
        true => String::new(),
        false => format!("{boot}/{leader}/{start}"),
    }
}

/// This process: its number, of this boot, and when it began.
pub fn this() -> String {
    let pid = std::process::id();
    format!("{}/{pid}/{}", boot_id(), start_of(pid))
}

/// Whether a process that was named so still runs.
pub fn is_running(process: &str) -> bool {
    let mut parts = process.split('/');
    let (Some(boot), Some(pid), Some(start)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let Ok(pid) = pid.parse::<u32>() else {
        return false;
    };
    boot == boot_id() && exists(pid) && start_of(pid) == start && !has_ended(pid)
}

/// Names this run of the computer, where the platform tells.
pub fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

#[cfg(unix)]
fn session_leader() -> u32 {
    rustix::process::getsid(None).map_or(0, |pid| pid.as_raw_nonzero().get().cast_unsigned())
}

#[cfg(not(unix))]
fn session_leader() -> u32 {
    0
}

#[cfg(unix)]
fn exists(pid: u32) -> bool {
    use rustix::io::Errno;
    let pid = rustix::process::Pid::from_raw(pid.cast_signed());
    let found = pid.map(rustix::process::test_kill_process);
    matches!(found, Some(Ok(()) | Err(Errno::PERM)))
}

#[cfg(not(unix))]
fn exists(_pid: u32) -> bool {
    false
}

/// When a process began, in ticks since the boot; empty where the platform does not tell.
fn start_of(pid: u32) -> String {
    stat_of(pid, 19)
}

/// Whether a process has ended, and only its parent has not looked yet.
fn has_ended(pid: u32) -> bool {
    ["Z", "X"].contains(&stat_of(pid, 0).as_str())
}

/// A field of what the platform tells of a process, counted after its name.
fn stat_of(pid: u32, field: usize) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may hold anything.
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').nth(field).unwrap_or_default().to_owned()
}
