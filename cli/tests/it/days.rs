//! Days as people type them.

use chrono::NaiveDate;
use secmon_cli::internals::day as read;

#[test]
fn days_are_read_as_people_write_them() {
    let today = NaiveDate::from_ymd_opt(2026, 1, 30).expect("a day");
    for (text, day) in [
        ("2026-12-31", "2026-12-31"),
        ("31.12.2026", "2026-12-31"),
        ("2026/12/31", "2026-12-31"),
        ("1.2.2026", "2026-02-01"),
        ("90d", "2026-04-30"),
        ("1 day", "2026-01-31"),
        ("2 Weeks", "2026-02-13"),
        ("1 month", "2026-02-28"),
        ("1y", "2027-01-30"),
        ("end of this week", "2026-02-01"),
        ("end of month", "2026-01-31"),
        ("End of the month", "2026-01-31"),
        ("end of next month", "2026-02-28"),
        ("end-of-next-month", "2026-02-28"),
        ("end of the year", "2026-12-31"),
        ("end of next year", "2027-12-31"),
    ] {
        let read = read(text, today).map(|day| day.to_string());
        assert_eq!(read.as_deref(), Some(day), "{text}");
    }
    for text in [
        "",
        "soon",
        "12/31/2026",
        "31.12.26",
        "32.1.2026",
        "d",
        "6m",
        "-3d",
        "end of",
        "end of march",
        "99999999999d",
        "4294967295y",
        "9091874d",
        "90",
    ] {
        assert_eq!(read(text, today), None, "{text}");
    }
}
