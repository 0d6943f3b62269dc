//! The program as a person and a script meet it: started for real, against the mock in process, in an empty home.

mod access;
mod api;
mod billing;
mod bulk;
mod changes;
mod config;
mod doctor;
mod domains;
mod errors;
mod history;
mod jq;
mod local;
mod mock;
mod opening;
mod output;
mod pace;
mod portal;
mod provision;
mod references;
mod report;
mod rules_and_alerts;
mod secrets;
mod shell;
mod telling;
mod usage;
