//! Which terminal and which process this is, so that two of them are told apart.

/// The terminal: its POSIX session, of this boot of the computer. Empty where the platform does not tell one boot or one
/// process from the next.
pub fn session() -> String {
    let leader = session_leader();
    let (boot, start) = (boot_id(), stat_of(&leader, START));
    match boot.is_empty() || start.is_empty() {
        true => String::new(),
        false => format!("{boot}/{leader}/{start}"),
    }
}

/// This process: its number, of this boot, and when it began.
pub fn this() -> String {
    let pid = std::process::id().to_string();
    format!("{}/{pid}/{}", boot_id(), stat_of(&pid, START))
}

/// Whether a process that was named so still runs.
pub fn is_running(process: &str) -> bool {
    let mut parts = process.split('/');
    let (Some(boot), Some(pid), Some(start)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    boot == boot_id() && exists(pid) && stat_of(pid, START) == start && !has_ended(pid)
}

/// Names this run of the computer, where the platform tells.
pub fn boot_id() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

/// The process that the terminal is named by.
fn session_leader() -> String {
    leader_of(std::process::id().to_string(), stat_of)
}

/// The first process of the session. In a container that was entered from outside, it stands outside and is shown as 0:
/// there it is the first process that the way in began.
fn leader_of(process: String, stat_of: impl Fn(&str, usize) -> String) -> String {
    match stat_of(&process, SESSION) {
        leader if leader == "0" => first_ancestor(process, stat_of),
        leader => leader,
    }
}

/// The oldest of the parents of a process that can be seen from here.
fn first_ancestor(process: String, stat_of: impl Fn(&str, usize) -> String) -> String {
    let mut oldest = process;
    loop {
        match stat_of(&oldest, PARENT) {
            parent if parent.is_empty() || parent == "0" => return oldest,
            parent => oldest = parent,
        }
    }
}

#[cfg(unix)]
fn exists(pid: &str) -> bool {
    use rustix::io::Errno;
    let pid = pid
        .parse()
        .ok()
        .filter(|pid| *pid > 0)
        .and_then(rustix::process::Pid::from_raw);
    let found = pid.map(rustix::process::test_kill_process);
    matches!(found, Some(Ok(()) | Err(Errno::PERM)))
}

#[cfg(not(unix))]
fn exists(_pid: &str) -> bool {
    false
}

/// Whether a process has ended, and only its parent has not looked yet.
fn has_ended(pid: &str) -> bool {
    ["Z", "X"].contains(&stat_of(pid, STATE).as_str())
}

/// The fields of what Linux tells of a process, counted after its name.
const STATE: usize = 0;
const PARENT: usize = 1;
const SESSION: usize = 3;
/// When it began, in ticks since the boot.
const START: usize = 19;

/// A field of what the platform tells of a process; empty where it does not tell.
fn stat_of(pid: &str, field: usize) -> String {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program, in parentheses, may hold anything.
    let fields = text.rsplit_once(") ").map_or("", |(_, fields)| fields);
    fields.split(' ').nth(field).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of the processes of a container: each with its parent and its session.
    fn in_container(process: &str, field: usize) -> String {
        let (parent, session) = match process {
            "1" => ("0", "1"),
            "20" | "30" => ("0", "0"),
            "21" => ("20", "0"),
            "22" => ("21", "0"),
            "40" => ("21", "40"),
            _ => ("", ""),
        };
        match field {
            PARENT => parent.to_owned(),
            SESSION => session.to_owned(),
            _ => String::new(),
        }
    }

    #[test]
    fn a_terminal_whose_session_began_outside_of_the_container_has_a_name_of_its_own() {
        let of = |process: &str| leader_of(process.to_owned(), in_container);
        assert_eq!(of("22"), "20", "entered from outside");
        assert_eq!(of("21"), "20");
        assert_eq!(of("30"), "30", "entered from outside once more");
        assert_eq!(of("40"), "40", "a session of the container itself");
        assert_eq!(of("99"), "", "nothing is told");
    }
}
