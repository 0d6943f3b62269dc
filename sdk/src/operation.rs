//! What an operation is.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer_check::AnswerCheck;
use crate::error::FieldErrors;
use crate::operation_info::OperationInfo;

/// A request of the API as a value: what is sent, and what its answer decodes to.
///
/// The serialised value is a JSON object of all its fields. Those that [`OperationInfo::path`] names in braces fill the
/// path, the others travel in the query or in the JSON body.
///
/// It can be implemented outside this crate, for what the service adds before the next release:
///
/// ```
/// use http::Method;
/// use secmon::model::EndpointId;
/// use secmon::{Group, Operation, OperationInfo};
///
/// #[derive(serde::Serialize)]
/// struct GetBadge {
///     endpoint_id: EndpointId,
///     size: u32,
/// }
///
/// #[derive(serde::Deserialize)]
/// struct Badge {
///     svg: String,
/// }
///
/// impl Operation for GetBadge {
///     type Output = Badge;
///     const INFO: &'static OperationInfo =
///         &OperationInfo::new("get_badge", Group::Endpoints, Method::GET, "/api/v1/endpoints/{endpoint_id}/badge");
/// }
/// ```
pub trait Operation: Serialize + Send + Sync {
    /// What the call gives on success. A member that may be absent, or written as the service does not document it, is
    /// best read by [`optional`](crate::model::optional).
    type Output: DeserializeOwned + Send;

    /// All that is known of the operation before it is called.
    const INFO: &'static OperationInfo;

    /// Adds what the service would refuse in its 422, under the same field names.
    fn validate(&self, _problems: &mut FieldErrors) {}

    /// Compares an answer with this request: the record it is of, the page, the state it sets.
    ///
    /// Members that name a customer, a service, a product, a server, a domain, an alert or a rule, as in
    /// `billing_customer_id`, need no comparison here: wherever an answer has one that the request has too, it must be the
    /// same.
    fn check_answer(&self, _answer: &Self::Output, _check: &mut AnswerCheck<'_>) {}
}
