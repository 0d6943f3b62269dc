//! A kernel that is asked what a firewall lets in: a host in one network namespace, the internet in another.
//!
//! What comes out of a firewall is seen without waiting for what does not: a chain in front of everything records what
//! arrived, a chain behind everything what was let through. Each packet has a source port of its own, by which it is
//! known whatever the firewall does to its destination.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, sendto, socket_with};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// How long a busy machine may take to let all packets arrive.
const DEADLINE: Duration = Duration::from_secs(60);

pub const HOST_V4: &str = "203.0.113.10";
pub const HOST_V6: &str = "2001:db8::10";

/// Source ports that packets are known by.
const FIRST_SOURCE_PORT: u16 = 20_000;
const LAST_SOURCE_PORT: u16 = 60_000;

/// A packet to send, and then what became of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Probe {
    pub source: IpAddr,
    pub is_tcp: bool,
    pub port: u16,
}

/// Two namespaces with a cable between them.
pub struct Witness {
    host: String,
    internet: String,
    next_source_port: u16,
}

impl Drop for Witness {
    fn drop(&mut self) {
        for name in [&self.host, &self.internet] {
            let _ = run("ip", &["netns", "del", name]);
        }
    }
}

impl Witness {
    /// Sets the namespaces up; what is missing where they cannot be.
    pub fn new(name: &str) -> Result<Self, String> {
        remove_leftovers();
        let mark = format!("secmon-{}-{name}", std::process::id());
        let witness = Self {
            host: format!("{mark}-host"),
            internet: format!("{mark}-internet"),
            next_source_port: FIRST_SOURCE_PORT,
        };
        for name in [&witness.host, &witness.internet] {
            expect(run("ip", &["netns", "add", name]))?;
        }
        witness.cable()?;
        witness.forget_soon()?;
        Ok(witness)
    }

    /// Makes the host forget connections after a second: what address translation did to one holds as long as it is
    /// known, and the same ports come again with other firewalls.
    fn forget_soon(&self) -> Result<(), String> {
        let tracking = "table inet tracking { chain any { type filter hook input priority 0; ct state new; }; }";
        expect(self.in_host("nft", &["-f", "-"], tracking))?;
        let namespace = self.host.clone();
        let setter = thread::spawn(move || {
            enter(&namespace);
            for of in ["udp_timeout", "tcp_timeout_syn_sent", "tcp_timeout_close"] {
                let path = format!("/proc/sys/net/netfilter/nf_conntrack_{of}");
                std::fs::write(path, "1").map_err(|error| format!("{of}: {error}"))?;
            }
            Ok(())
        });
        setter.join().expect("the settings")
    }

    fn cable(&self) -> Result<(), String> {
        let (host, internet) = (self.host.as_str(), self.internet.as_str());
        let mac = ["02:00:00:00:00:01", "02:00:00:00:00:02"];
        expect(run(
            "ip",
            &[
                "link", "add", "eth0", "address", mac[0], "netns", host, "type", "veth", "peer",
                "name", "wan", "address", mac[1], "netns", internet,
            ],
        ))?;
        let in_host: [&[&str]; 7] = [
            &["link", "set", "lo", "up"],
            &["link", "set", "eth0", "up"],
            &["addr", "add", "203.0.113.10/32", "dev", "eth0"],
            &[
                "-6",
                "addr",
                "add",
                "2001:db8::10/128",
                "dev",
                "eth0",
                "nodad",
            ],
            &["route", "add", "default", "dev", "eth0"],
            &["-6", "route", "add", "default", "dev", "eth0"],
            &["link", "add", "eth1", "type", "veth", "peer", "name", "lan"],
        ];
        let in_internet: [&[&str]; 7] = [
            &["link", "set", "lo", "up"],
            &["link", "set", "wan", "up"],
            &["route", "add", "203.0.113.10/32", "dev", "wan"],
            &["-6", "route", "add", "2001:db8::10/128", "dev", "wan"],
            &[
                "neigh",
                "add",
                "203.0.113.10",
                "lladdr",
                mac[0],
                "dev",
                "wan",
                "nud",
                "permanent",
            ],
            &[
                "-6",
                "neigh",
                "add",
                "2001:db8::10",
                "lladdr",
                mac[0],
                "dev",
                "wan",
                "nud",
                "permanent",
            ],
            &["route", "add", "local", "0.0.0.0/1", "dev", "lo"],
        ];
        for (namespace, commands) in [(host, in_host), (internet, in_internet)] {
            for command in commands {
                expect(run("ip", &[&["-n", namespace], command].concat()))?;
            }
        }
        for range in ["128.0.0.0/2", "192.0.0.0/3"] {
            expect(run(
                "ip",
                &["-n", internet, "route", "add", "local", range, "dev", "lo"],
            ))?;
        }
        Ok(())
    }

    /// Makes interfaces that a ruleset asks for by `iif`.
    pub fn add_interface(&self, name: &str) {
        let _ = run(
            "ip",
            &["-n", &self.host, "link", "add", name, "type", "veth"],
        );
    }

    /// Makes a set of addresses that a dump of iptables asks for.
    pub fn add_set(&self, name: &str, family: &str) {
        let _ = self.in_host("ipset", &["create", name, "hash:net", "family", family], "");
    }

    /// Runs a program on the host.
    pub fn in_host(
        &self,
        program: &str,
        arguments: &[&str],
        input: &str,
    ) -> Result<Output, String> {
        let all = [&["netns", "exec", &self.host, program], arguments].concat();
        run_with("ip", &all, input)
    }

    /// Replaces the firewall: a ruleset of nftables, and dumps for programs that restore one.
    pub fn load(&self, ruleset: &str, dumps: &[(&str, &str)]) -> Result<(), String> {
        let whole = format!("flush ruleset\n{ruleset}\n{}", recorder());
        if dumps.is_empty() {
            return expect(self.in_host("nft", &["-f", "-"], &whole));
        }
        expect(self.in_host("nft", &["-f", "-"], "flush ruleset\n"))?;
        for (program, dump) in dumps {
            expect(self.in_host(program, &["--noflush"], dump))?;
        }
        expect(self.in_host("nft", &["-f", "-"], &format!("{ruleset}\n{}", recorder())))
    }

    /// Sends packets; gives those that the firewall let through.
    pub fn let_through(&mut self, probes: &[Probe]) -> BTreeSet<Probe> {
        if usize::from(LAST_SOURCE_PORT - self.next_source_port) < probes.len() {
            self.next_source_port = FIRST_SOURCE_PORT;
        }
        let first = self.next_source_port;
        self.next_source_port += u16::try_from(probes.len()).expect("few probes");
        let numbered: Vec<(u16, Probe)> = (first..).zip(probes.iter().copied()).collect();
        let namespace = self.internet.clone();
        let to_send = numbered.clone();
        let sender = thread::spawn(move || {
            enter(&namespace);
            // Packets may come from any address.
            std::fs::write("/proc/sys/net/ipv6/ip_nonlocal_bind", "1").expect("a setting");
            for (source_port, probe) in to_send {
                send(probe, source_port).unwrap_or_else(|error| panic!("{probe:?}: {error}"));
            }
        });
        sender.join().expect("the sender");
        let is_all = |seen: &BTreeSet<u16>| numbered.iter().all(|(port, _)| seen.contains(port));
        let start = Instant::now();
        while !is_all(&self.recorded("netdev", "arrived")) {
            assert!(start.elapsed() < DEADLINE, "packets did not arrive");
            thread::yield_now();
        }
        // What arrived is through the chains, or refused, within a moment: when nothing more passes from read to read.
        let mut passed = self.recorded("inet", "passed");
        loop {
            let again = self.recorded("inet", "passed");
            if again == passed {
                break;
            }
            assert!(start.elapsed() < DEADLINE, "packets are on their way still");
            passed = again;
        }
        let let_through = numbered
            .into_iter()
            .filter(|(port, _)| passed.contains(port));
        let_through.map(|(_, probe)| probe).collect()
    }

    /// The source ports in one of the recorder's sets.
    fn recorded(&self, family: &str, set: &str) -> BTreeSet<u16> {
        let listed = self.in_host("nft", &["list", "set", family, "recorder", set], "");
        let listed = listed.expect("a list");
        assert!(listed.status.success(), "{listed:?}");
        let text = String::from_utf8(listed.stdout).expect("UTF-8");
        let Some((_, elements)) = text.split_once("elements = {") else {
            return BTreeSet::new();
        };
        let numbers = elements.split(|c: char| !c.is_ascii_digit());
        numbers.filter_map(|number| number.parse().ok()).collect()
    }
}

/// Chains in front of and behind everything.
fn recorder() -> &'static str {
    "table netdev recorder {
        set arrived { type inet_service; flags dynamic; size 65535; }
        chain front { type filter hook ingress device eth0 priority -2000; policy accept; meta l4proto { tcp, udp } add @arrived { th sport }; }
    }
    table inet recorder {
        set passed { type inet_service; flags dynamic; size 65535; }
        chain behind { type filter hook input priority 2000; policy accept; meta l4proto { tcp, udp } add @passed { th sport }; }
    }"
}

fn enter(namespace: &str) {
    let path = Path::new("/var/run/netns").join(namespace);
    let file = File::open(path).expect("the namespace");
    move_into_link_name_space(file.as_fd(), Some(LinkNameSpaceType::Network)).expect("to enter it");
}

fn send(probe: Probe, source_port: u16) -> Result<(), Errno> {
    let (family, host) = match probe.source {
        IpAddr::V4(_) => (AddressFamily::INET, HOST_V4),
        IpAddr::V6(_) => (AddressFamily::INET6, HOST_V6),
    };
    let kind = if probe.is_tcp {
        SocketType::STREAM
    } else {
        SocketType::DGRAM
    };
    let socket = socket_with(
        family,
        kind,
        SocketFlags::NONBLOCK | SocketFlags::CLOEXEC,
        None,
    )?;
    bind(&socket, &SocketAddr::new(probe.source, source_port))?;
    let target = SocketAddr::new(host.parse().expect("an address"), probe.port);
    if !probe.is_tcp {
        sendto(&socket, b"?", rustix::net::SendFlags::empty(), &target)?;
        return Ok(());
    }
    match connect(&socket, &target) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::CONNREFUSED) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes the namespaces of runs that were killed.
fn remove_leftovers() {
    let Ok(entries) = std::fs::read_dir("/var/run/netns") else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name
            .strip_prefix("secmon-")
            .and_then(|rest| rest.split('-').next());
        let is_over = process.is_some_and(|process| !Path::new("/proc").join(process).exists());
        if is_over {
            let _ = run("ip", &["netns", "del", &name]);
        }
    }
}

fn run(program: &str, arguments: &[&str]) -> Result<Output, String> {
    run_with(program, arguments, "")
}

fn run_with(program: &str, arguments: &[&str], input: &str) -> Result<Output, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that reads nothing may be gone already.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    child
        .wait_with_output()
        .map_err(|error| format!("{program}: {error}"))
}

fn expect(output: Result<Output, String>) -> Result<(), String> {
    let output = output?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// A public IPv4 address.
pub fn v4(text: &str) -> IpAddr {
    IpAddr::V4(text.parse::<Ipv4Addr>().expect("an address"))
}
