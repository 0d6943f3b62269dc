//! Any answer to an operation of each shape ends in a result or an error, and both can be looked at.

use std::sync::LazyLock;

use http::StatusCode;
use secmon::operations::{
    DeleteEndpoint, GetEndpoint, GetEndpointDetail, ListCredentialLeaks, ListEndpoints,
    SuspendEndpoint, SyncServices,
};
use secmon::testing::MockTransport;
use secmon::{ApiKey, Client, Operation};
use tokio::runtime::{Builder, Runtime};

const ID: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime")
});

/// Its first byte chooses the operation, the next two the status; the rest is the body.
pub fn envelope(input: &[u8]) {
    let [shape, high, low, body @ ..] = input else {
        return;
    };
    let status = u16::from_be_bytes([*high, *low]);
    let answered = Answered {
        status: StatusCode::from_u16(200 + status % 400).expect("a status"),
        body,
    };
    let endpoint = ID.parse().expect("an id");
    let customer = "42".parse().expect("a customer");
    match shape % 7 {
        0 => answered.to(SuspendEndpoint::new(endpoint)),
        1 => answered.to(GetEndpoint::account_wide(endpoint)),
        2 => answered.to(GetEndpointDetail::account_wide(endpoint)),
        3 => answered.to(ListEndpoints::account_wide()),
        4 => answered.to(DeleteEndpoint::account_wide(endpoint)),
        5 => answered.to(SyncServices::new(Vec::new())),
        _ => answered.to(ListCredentialLeaks::new(
            customer,
            ID.parse().expect("an id"),
        )),
    }
}

struct Answered<'a> {
    status: StatusCode,
    body: &'a [u8],
}

impl Answered<'_> {
    fn to<O: Operation>(&self, operation: O)
    where
        O::Output: std::fmt::Debug,
    {
        let script = MockTransport::new();
        script.answer(self.status, self.body.to_vec());
        let key = ApiKey::new("fuzzing_key").expect("a key");
        let client = Client::builder("https://portal.example.com", key)
            .transport(script)
            .no_rate_limit()
            .with(|calls| calls.max_retries(0))
            .with(|calls| calls.queue_timeout(std::time::Duration::ZERO))
            .build()
            .expect("a client");
        let call = client.call(operation).with(|call| call.validation(false));
        match RUNTIME.block_on(call.send()) {
            Ok(response) => {
                let _ = format!("{response:?} {:?}", response.note());
                let _ = response.raw_field("/data/note");
            }
            Err(error) => {
                let _ = format!("{error} {error:?} {:?}", error.field_errors());
                let _ = (error.body_snippet(), error.retry_after());
            }
        }
    }
}
