//! `secmon sandbox ...`: what simulated scans find.

use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::ui::outcome::{Cell, Field, Outcome, Table, shown, to_json};
use clap::{Args, Subcommand, ValueEnum};
use secmon::model::Scenario;
use secmon::operations::{ListScenarios, SetScenario};

/// The sandbox of an account.
#[derive(Debug, Subcommand)]
pub enum SandboxCommand {
    /// What simulated scans find
    #[command(subcommand)]
    Scenario(ScenarioCommand),
}

/// What simulated scans find.
#[derive(Debug, Subcommand)]
pub enum ScenarioCommand {
    /// List the scenarios, and which one is in use
    List,
    /// Choose a scenario; it shows at the next scan
    Set(ScenarioSetArgs),
}

/// A scenario and where it is to count.
#[derive(Debug, Args)]
pub struct ScenarioSetArgs {
    /// The scenario
    pub name: ScenarioArg,
    /// Only for this server: id, IP address, host name or nickname
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "domain")]
    pub endpoint: Option<String>,
    /// Only for this domain: name or id
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
}

/// The scenarios there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScenarioArg {
    /// Nothing is found.
    Clean,
    /// Some open ports and leaks.
    Warnings,
    /// Many, and bad ones.
    Critical,
}

/// A scenario, and whether it is the one that counts.
const COLUMNS: &[Field<(Scenario, bool)>] = &[
    shown("scenario").of(|(scenario, _)| Cell::text(scenario)),
    shown("current").of(|(_, is_current)| Cell::text(is_current)),
];

/// Runs the command.
pub async fn run(context: &Context, command: SandboxCommand) -> Result<Outcome, CliError> {
    let SandboxCommand::Scenario(command) = command;
    match command {
        ScenarioCommand::List => list(&context.session).await,
        ScenarioCommand::Set(args) => set(context, args).await,
    }
}

async fn list(session: &Session) -> Result<Outcome, CliError> {
    let scenarios = session.read(ListScenarios::new()).await?;
    let is_current = |scenario: &Scenario| Some(scenario) == scenarios.current.as_ref();
    let listed = scenarios.scenarios.iter();
    let listed: Vec<(Scenario, bool)> = listed
        .map(|scenario| (scenario.clone(), is_current(scenario)))
        .collect();
    Ok(Outcome::record(
        to_json(&scenarios),
        Table::of(COLUMNS, &listed),
    ))
}

async fn set(context: &Context, args: ScenarioSetArgs) -> Result<Outcome, CliError> {
    let scenario = match args.name {
        ScenarioArg::Clean => Scenario::Clean,
        ScenarioArg::Warnings => Scenario::Warnings,
        ScenarioArg::Critical => Scenario::Critical,
    };
    let mut request = SetScenario::new(scenario.clone());
    let mut place = "the account".to_owned();
    if let Some(name) = &args.endpoint {
        let endpoint = references::endpoint(context, name).await?;
        request.endpoint_id = Some(endpoint.id);
        place = references::name_of(&endpoint);
    }
    if let Some(name) = args.domain {
        let domain = references::domain(context, &name).await?;
        request.monitored_domain_id = Some(domain.id);
        place = domain.name;
    }
    let planned = PlannedChange::new(format!("scenario {scenario} for {place}"));
    let before = match (request.endpoint_id, request.monitored_domain_id) {
        // What counts for one server or domain alone, the service does not tell.
        (None, None) => earlier(&context.session).await,
        _ => None,
    };
    let planned = planned.before(&before);
    let sent = context.session.write(request, planned).await?;
    Ok(sent.map_or_else(Outcome::silent, |answer| {
        let scenario = &answer.data.scenario;
        let sentence = format!("From the next scan on, scans of {place} show scenario {scenario}.");
        Outcome::said(to_json(&answer.data), sentence)
    }))
}

/// The scenario of the account as it is; one that cannot be read keeps nobody from choosing another.
async fn earlier(session: &Session) -> Option<Scenario> {
    session.read(ListScenarios::new()).await.ok()?.current
}
