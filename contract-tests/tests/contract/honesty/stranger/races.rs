//! Several calls at once of which more than one wins, or none, or the winner's record is lost.

use super::tools::*;

/// What the one who came second is told, were it first too.
type Prize = fn(&Passing, &Behind) -> Value;

/// Lets one of those whom the service refuses with a code win as well, when they came at once.
async fn second_wins(
    call: Passing,
    behind: Arc<Behind>,
    refusal: &'static str,
    status: u16,
    prize: Prize,
) -> Option<Answer> {
    let room = mine(&call, refusal, &customer(&call));
    let others = crowd(&behind, &room).await;
    let answer = behind.answer(&call).await;
    leave(&behind, &room);
    let answer = answer?;
    if others > 1 && code(&answer) == refusal && first(&behind, &format!("won {room}")) {
        let data = prize(&call, &behind);
        return Some(success(status, data, now_of(&answer)));
    }
    Some(answer)
}

/// The stranger's bends of this class.
pub const BENDS: &[Bent] = &[
    Bent {
        what: "lets a second of several simultaneous provisions have the last server place",
        // B6: a creation is refused when usage + 1 > capacity
        breaks: Breaks::Race,
        case: "scenes::the_last_place_goes_to_one_server",
        assertion: "step 3: provision_endpoint",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "provision") {
                    return behind.answer(&call).await;
                }
                let prize: Prize =
                    |_, behind| json!({"endpoint_id": made_up(behind), "status": "active"});
                second_wins(call, behind, "ENDPOINT_LIMIT_EXCEEDED", 201, prize).await
            })
        }),
    },
    Bent {
        what: "lets a second of several simultaneous provision-domains have the last slot",
        // B6: a creation is refused when usage + 1 > capacity
        breaks: Breaks::Race,
        case: "scenes::the_last_slot_goes_to_one_domain",
        assertion: "step 2: provision_domain",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "provision-domain") {
                    return behind.answer(&call).await;
                }
                let prize: Prize = |call, behind| {
                    let name = text(&call.json(), "/domain").to_lowercase();
                    json!({"monitored_domain_id": made_up(behind), "domain": name, "status": "active"})
                };
                second_wins(call, behind, "DOMAIN_LIMIT_EXCEEDED", 201, prize).await
            })
        }),
    },
    Bent {
        what: "accepts a second of several simultaneous manual scans of one server",
        // E1: a scan in the cooldown is 429 RATE_LIMITED
        breaks: Breaks::Race,
        case: "mechanisms::at_once::one_wins::scan_endpoint",
        assertion: "assert_one(&answers, &first",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "scan-endpoint") {
                    return behind.answer(&call).await;
                }
                let prize: Prize = |_, behind| {
                    json!({
                        "scan_id": made_up(behind),
                        "status": "pending",
                        "cooldown_seconds": COOLDOWN,
                    })
                };
                second_wins(call, behind, "RATE_LIMITED", 202, prize).await
            })
        }),
    },
    Bent {
        what: "tells two domains that were renamed to one name at once that both have it",
        // C3: 409 DOMAIN_ALREADY_EXISTS when a live record of the customer has the name
        breaks: Breaks::Race,
        case: "scenes::a_name_goes_to_one_of_eight_domains",
        assertion: "step 2: update_domain",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !provisioning(&call, "update-domain") {
                    return behind.answer(&call).await;
                }
                let prize: Prize = |call, _| {
                    let body = call.json();
                    json!({
                        "monitored_domain_id": body["monitored_domain_id"],
                        "domain": body["domain"],
                        "status": "active",
                    })
                };
                second_wins(call, behind, "DOMAIN_ALREADY_EXISTS", 200, prize).await
            })
        }),
    },
    Bent {
        what: "tells two simultaneous callers of POST /endpoints with one address that each created it",
        // Endpoints: re-adding an existing IP returns the existing endpoint with 200; B9: with note
        breaks: Breaks::Race,
        case: "scenes::an_address_is_one_server_whichever_group_adds_it",
        assertion: "step 1: provision_endpoint",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !call.is(Method::POST, "/api/v1/endpoints") {
                    return behind.answer(&call).await;
                }
                let address = call.json()["ip_address"].to_string();
                let room = mine(&call, &address, &customer(&call));
                let others = crowd(&behind, &room).await;
                let answer = behind.answer(&call).await;
                leave(&behind, &room);
                let mut answer = answer?;
                if others > 1 && noted(&answer) && first(&behind, &format!("twice {room}")) {
                    answer.status = StatusCode::CREATED;
                    answer.edit(|body| {
                        let data = body["data"].take();
                        body["data"] = without(data, &["note"]);
                    });
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "lets one read more than the rate window allows through when many come at once",
        // A10: 60 (100) requests in a window of 60 s per key
        breaks: Breaks::Race,
        case: "mechanisms::at_once::the_last_call_of_a_window_is_one",
        assertion: "assert_eq!(served.count(), 1",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if call.method != Method::GET || !call.path.starts_with("/api/v1/") {
                    return behind.answer(&call).await;
                }
                let target = format!("{} {:?}", call.path, call.query);
                let room = mine(&call, "reading", &target);
                let others = crowd(&behind, &room).await;
                let answer = behind.answer(&call).await;
                leave(&behind, &room);
                let answer = answer?;
                let copy = format!("copy of {room}");
                if answer.status == 200 {
                    behind.keep(&copy, answer.json());
                } else if answer.status == 429 && others > 1 {
                    let kept = recall(&behind, &copy);
                    if kept.is_object() && first(&behind, &mine(&call, "one more", "")) {
                        return Some(Answer::new(200, &kept));
                    }
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "loses one of several servers of one customer that were created at the same moment, after its 201",
        // Endpoints: the endpoint is created; A18: it is listed
        breaks: Breaks::Race,
        case: "scenes::eight_endpoints_are_eight",
        assertion: "step 2: list_endpoints",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !call.is(Method::POST, "/api/v1/endpoints") {
                    return behind.answer(&call).await;
                }
                let room = mine(&call, "creating", &customer(&call));
                let others = crowd(&behind, &room).await;
                let answer = behind.answer(&call).await;
                leave(&behind, &room);
                let answer = answer?;
                if others > 1 && answer.status == 201 && first(&behind, &format!("lost {room}")) {
                    let path = format!("/api/v1/endpoints/{}", text(&answer.json(), "/data/id"));
                    let gone = another(&call, Method::DELETE, &path, &Value::Null);
                    behind.answer(&gone).await;
                }
                Some(answer)
            })
        }),
    },
    Bent {
        what: "gives two callers who ask for a sign-in token at once the same token",
        // E14: mints a token, one use
        breaks: Breaks::Race,
        case: "scenes::every_token_is_another",
        assertion: "each of eight has another",
        bend: Bend::Whole(|call, behind| {
            Box::pin(async move {
                if !call.is(Method::POST, "/api/v1/sso/token") {
                    return behind.answer(&call).await;
                }
                let room = mine(&call, "minting", &customer(&call));
                let others = crowd(&behind, &room).await;
                let answer = behind.answer(&call).await;
                leave(&behind, &room);
                let mut answer = answer?;
                let kept = format!("minted {room}");
                if answer.status.is_success() && others > 1 {
                    let before = recall(&behind, &kept);
                    if before.is_object() && first(&behind, &format!("same {room}")) {
                        answer.edit(|body| body["data"] = before);
                    } else if before.is_null() {
                        behind.keep(&kept, answer.json()["data"].clone());
                    }
                }
                Some(answer)
            })
        }),
    },
];
