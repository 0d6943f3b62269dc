//! When a 404 says that a deletion is done.

use super::*;

fn deleted_once(script: &MockTransport) {
    script.fail(TransportErrorKind::Interrupted);
    script.answer(
        StatusCode::NOT_FOUND,
        failure(json!(404), "No such endpoint.", json!({})),
    );
}

#[tokio::test(start_paused = true)]
async fn a_deletion_finds_nothing_left_only_after_an_attempt_whose_answer_was_lost() {
    let (client, script) = scripted();
    deleted_once(&script);
    let deleted = client
        .servers()
        .delete(customer(), endpoint_id())
        .await
        .expect("deleted");
    assert_eq!(deleted.attempts(), 2);

    let (client, script) = scripted();
    script.answer(
        StatusCode::NOT_FOUND,
        failure(json!(404), "No such endpoint.", json!({})),
    );
    assert!(
        client
            .servers()
            .delete(customer(), endpoint_id())
            .await
            .is_err()
    );

    let (client, script) = scripted();
    script.fail(TransportErrorKind::Connect);
    script.answer(
        StatusCode::NOT_FOUND,
        failure(json!(404), "No such endpoint.", json!({})),
    );
    assert!(
        client
            .servers()
            .delete(customer(), endpoint_id())
            .await
            .is_err()
    );

    let (client, script) = scripted();
    deleted_once(&script);
    let error = client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect_err("a read takes no 404");
    assert_eq!(error.delivery(), Delivery::Maybe);
}

#[tokio::test(start_paused = true)]
async fn only_the_404_of_the_record_itself_says_that_an_earlier_attempt_has_deleted_it() {
    let others = [
        failure(json!("NOT_FOUND"), "No such path.", json!({})),
        failure(json!("ENDPOINT_NOT_FOUND"), "No such server.", json!({})),
        json!({"error": {"message": "No such page."}}).to_string(),
        json!({"status": "error", "message": "No such page."}).to_string(),
    ];
    for other in others {
        let (client, script) = scripted();
        for operation in ["delete_endpoint", "delete_rule"] {
            script
                .on_named(operation)
                .fail(TransportErrorKind::Interrupted);
            script
                .on_named(operation)
                .answer(StatusCode::NOT_FOUND, other.clone());
        }
        let server = client.servers().delete(customer(), endpoint_id()).await;
        let rule = client.rules().delete(customer(), rule_id()).await;
        for deleted in [server, rule] {
            let error = deleted.expect_err(&other);
            assert_eq!(error.delivery(), Delivery::Maybe, "{other}");
            assert_eq!(error.status(), Some(StatusCode::NOT_FOUND), "{other}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_something_between_answered_finds_nothing_left_too() {
    let missing = failure(json!(404), "No such endpoint.", json!({}));
    for (answer, is_done) in [
        ("<html>Bad Gateway</html>".to_owned(), true),
        (json!({"message": "Bad Gateway"}).to_string(), true),
        (failure(json!(502), "Not now.", json!({})), false),
    ] {
        let (client, script) = scripted();
        script.answer(StatusCode::BAD_GATEWAY, answer.clone());
        script.answer(StatusCode::NOT_FOUND, missing.clone());
        let deleted = client.servers().delete(customer(), endpoint_id()).await;
        assert_eq!(deleted.is_ok(), is_done, "{answer}");
    }
}
