//! Which notices fail a run: `--deny-notices` and `--allow-notices` (M13).

use std::str::FromStr;

use crate::configuration::flags::{Given, Switch};
use crate::observation::notice::NoticeCode;

/// The two flags, as `exec` and `certify` have them.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct NoticeFlags {
    /// Exit 1 where the service tolerated what a careless client should hear of, and say what; with codes, only those. docs/behaviours.md (M10)
    /// lists the codes, and so does the error where one is wrong
    #[arg(
        long,
        value_name = "CODE,...",
        env = "SECMON_MOCK_DENY_NOTICES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "on"
    )]
    deny_notices: Option<Given<Denied>>,

    /// Codes of notices that are no failure under --deny-notices, as that lists them
    #[arg(
        long,
        value_name = "CODE,...",
        env = "SECMON_MOCK_ALLOW_NOTICES",
        value_delimiter = ','
    )]
    allow_notices: Vec<Given<NoticeCode>>,
}

/// What `--deny-notices` was given.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Denied {
    Every,
    None,
    These(Vec<NoticeCode>),
}

impl FromStr for Denied {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(Switch::On) => Ok(Self::Every),
            Ok(Switch::Off) => Ok(Self::None),
            Err(_) => {
                let codes = text.split(',').map(str::trim);
                let codes = codes.filter(|code| !code.is_empty()).map(str::parse);
                codes.collect::<Result<_, _>>().map(Self::These)
            }
        }
    }
}

/// The notices that fail a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeniedNotices(Vec<NoticeCode>);

impl DeniedNotices {
    /// Whether any is denied.
    pub(crate) fn is_any(&self) -> bool {
        !self.0.is_empty()
    }

    /// Whether this one is.
    pub(crate) fn names(&self, code: &str) -> bool {
        self.0.iter().any(|denied| denied.name() == code)
    }
}

impl From<NoticeFlags> for DeniedNotices {
    fn from(flags: NoticeFlags) -> Self {
        let allowed: Vec<NoticeCode> = (flags.allow_notices.into_iter())
            .filter_map(Given::value)
            .collect();
        let mut denied = match flags.deny_notices.and_then(Given::value) {
            None | Some(Denied::None) => Vec::new(),
            Some(Denied::Every) => NoticeCode::ALL.to_vec(),
            Some(Denied::These(codes)) => codes,
        };
        denied.retain(|code| !allowed.contains(code));
        Self(denied)
    }
}
