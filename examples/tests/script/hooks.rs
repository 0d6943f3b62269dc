//! Hooks that come twice, break off or are not answered.

use crate::{SERVER, endpoint, file, module, order, server};
use secmon::testing::{self, Script};
use secmon::transport::TransportErrorKind;
use secmon_examples::billing::policy::Next;
use secmon_examples::billing::queue::{Goods, Hook, Queue};
use serde_json::json;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn a_hook_that_comes_twice_is_sent_once_and_survives_a_restart() {
    let (script, file) = (Script::new(), file("twice"));
    let mut queue = Queue::open(&file).expect("a queue");
    assert!(queue.take("d1", Hook::Created, &server()).expect("written"));
    assert!(
        queue
            .take("d2", Hook::Suspended, &server())
            .expect("written")
    );
    drop(queue);
    let mut queue = Queue::open(&file).expect("the same queue");
    assert!(!queue.take("d1", Hook::Created, &server()).expect("read"));
    let provisioned = testing::created(json!({"endpoint_id": SERVER, "status": "active"}));
    script.on("provision_endpoint").respond(provisioned);
    script.on("suspend_endpoint").respond(testing::success(
        json!({"endpoint_id": SERVER, "status": "paused"}),
    ));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert!(
        outcomes.len() == 2 && outcomes.iter().all(|outcome| outcome.next == Next::Done),
        "{outcomes:?}"
    );
    assert!(queue.jobs().is_empty());
    script.assert_done();
    assert_eq!(script.requests()[0].body["service_id"], json!(7));
    assert_eq!(script.requests()[1].body["endpoint_id"], json!(SERVER));
}

#[tokio::test(start_paused = true)]
async fn a_lost_change_of_plan_is_not_repeated_at_once_and_holds_the_order_back() {
    let (script, file) = (Script::new(), file("lost"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take("d1", Hook::ChangedPackage, &order(8, Goods::DomainSlots(9)))
        .expect("written");
    queue
        .take("d2", Hook::Suspended, &order(8, Goods::DomainSlots(9)))
        .expect("written");
    script
        .on("change_subscription")
        .fail(TransportErrorKind::Interrupted);
    let module = module(&script);
    let outcomes = queue.work(&module.background, 1000).await.expect("written");
    assert_eq!(outcomes[0].next, Next::RetryLater { after: Some(60) });
    assert_eq!(
        queue.work(&module.background, 1059).await.expect("written"),
        []
    );
    let as_asked = json!({"changed": false, "subscription_id": SERVER, "plan_slug": null});
    script
        .on("change_subscription")
        .respond(testing::success(as_asked));
    let suspended = testing::success(json!({"subscription_id": SERVER, "status": "suspended"}));
    script.on("suspend_subscription").respond(suspended);
    let outcomes = queue.work(&module.background, 1060).await.expect("written");
    assert_eq!(
        (outcomes[0].text.as_str(), outcomes[1].text.as_str()),
        ("as before", "suspended")
    );
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_move_that_breaks_off_halfway_still_terminates_the_old_server() {
    const NEW: &str = "6f9619ff-8b86-4011-b42d-00c04fc96400";
    let (script, file) = (Script::new(), file("move"));
    let module = module(&script);
    let mut queue = Queue::open(&file).expect("a queue");
    queue.take("d1", Hook::Created, &server()).expect("written");
    let moved = order(7, Goods::Server("203.0.113.70".into()));
    queue
        .take("d2", Hook::ChangedPackage, &moved)
        .expect("written");
    let active = |id: &str| testing::success(json!({"endpoint_id": id, "status": "active"}));
    script.on("provision_endpoint").respond(active(SERVER));
    script
        .on("provision_endpoint")
        .times(2)
        .respond(active(NEW));
    script
        .on("terminate_endpoint")
        .times(4)
        .fail(TransportErrorKind::Connect);
    let outcomes = queue.work(&module.background, 0).await.expect("written");
    assert!(
        matches!(outcomes[1].next, Next::RetryLater { .. }),
        "{outcomes:?}"
    );
    let mut queue = Queue::open(&file).expect("the same queue");
    let gone = json!({"endpoint_id": SERVER, "status": "terminated"});
    script
        .on("terminate_endpoint")
        .respond(testing::success(gone));
    let outcomes = queue.work(&module.background, 3600).await.expect("written");
    assert_eq!((outcomes.len(), &outcomes[0].next), (1, &Next::Done));
    script.assert_done();
    let last = script.requests().pop().expect("requests");
    assert_eq!(last.body["endpoint_id"], json!(SERVER));
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_not_asked_for_is_asked_about_until_somebody_answers() {
    let (script, file) = (Script::new(), file("state"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take("d1", Hook::Suspended, &order(8, Goods::DomainSlots(2)))
        .expect("written");
    script.respond(testing::success(
        json!({"subscription_id": SERVER, "status": "hibernating"}),
    ));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert!(
        matches!(&outcomes[0].next, Next::AskOperator(text) if text.contains("hibernating")),
        "{outcomes:?}"
    );
    let mut queue = Queue::open(&file).expect("the same queue");
    assert_eq!(queue.asked(), outcomes);
    queue.answered(outcomes[0].service).expect("written");
    assert!(queue.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_decode_is_looked_into() {
    let (script, file) = (Script::new(), file("decode"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue.take("d1", Hook::Created, &server()).expect("written");
    script
        .on("provision_endpoint")
        .respond(testing::created(json!({"endpoint": 5})));
    script
        .on("list_endpoints")
        .respond(testing::page(vec![endpoint("active")], 1, 100, 1));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert_eq!(outcomes[0].next, Next::RetryLater { after: Some(60) });
    // Found by its address, however that is written.
    assert_eq!(
        queue.server(server().service),
        Some(testing::model(json!(SERVER)))
    );
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_429s_and_a_redirect_lose_nothing() {
    let (script, file) = (Script::new(), file("storm"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take(
            "d1",
            Hook::Created,
            &order(8, Goods::Plan("professional".into())),
        )
        .expect("written");
    script
        .on_any()
        .times(5)
        .respond(testing::too_many_attempts(Some(Duration::from_secs(30))));
    let module = module(&script);
    let outcomes = queue.work(&module.background, 0).await.expect("written");
    let Next::RetryLater {
        after: Some(seconds),
    } = outcomes[0].next
    else {
        panic!("{outcomes:?}")
    };
    assert!((30..=32).contains(&seconds), "{seconds}");
    let mut elsewhere = testing::html(302.try_into().expect("a status"), "Moved");
    elsewhere.headers_mut().insert(
        "location",
        "https://elsewhere.example.com/".parse().expect("a value"),
    );
    script.on_any().respond(elsewhere);
    let outcomes = queue.work(&module.background, 60).await.expect("written");
    assert!(matches!(outcomes[0].next, Next::Halt(_)), "{outcomes:?}");
    assert_eq!(queue.jobs().len(), 1);
    script.assert_done();
}
