"""What the fixture does where a test makes a mistake, and with the options of an account."""

import pytest

from secmon_mock import Mock, MockError

pytest_plugins = ["pytester"]


def test_each_test_has_an_account_of_its_own(secmon_mock, secmon_mock_server):
    other = secmon_mock_server.account()
    assert (other.name, other.api_key) != (secmon_mock.name, secmon_mock.api_key)
    before = secmon_mock.clock.now()
    other.clock.advance(86400)
    assert secmon_mock.clock.now()[:10] == before[:10]
    other.remove()
    with pytest.raises(MockError, match="404"):
        other.requests()


@pytest.mark.secmon_mock(name="of-the-marker", fixtures={"customers": [{"id": 7, "servers": [{"address": "203.0.113.7"}]}]})
def test_a_marker_gives_options(secmon_mock):
    assert secmon_mock.name == "of-the-marker"
    assert secmon_mock.portal_domain == "portal.of-the-marker.test"


def test_a_fault_that_cannot_hit_is_an_error(secmon_mock):
    with pytest.raises(MockError, match="provision_endpoint"):
        secmon_mock.fault({"status": 503}, operation="provision_endpont")


def test_calls_that_do_not_come_are_a_timeout(secmon_mock):
    with pytest.raises(TimeoutError, match="0 of 2 calls"):
        secmon_mock.wait_for("POST", "*/provision", count=2, timeout=1)


def test_a_clock_can_be_set(secmon_mock):
    assert secmon_mock.clock.set("2036-01-01T00:00:00+00:00") == "2036-01-01T00:00:00+00:00"


def test_a_server_that_does_not_start_says_why():
    with pytest.raises(MockError, match="did not start.*--nonsense"):
        Mock.start("--nonsense")


def test_a_careless_test_fails_where_notices_are_denied(pytester):
    pytester.makeini("[pytest]\nsecmon_mock_deny_notices = true")
    pytester.makepyfile("""
        import json, urllib.request

        def test_careless(secmon_mock):
            body = json.dumps({"client_id": 42, "ip_address": "203.0.113.10", "host_name": "web-1"}).encode()
            headers = {"Authorization": f"Bearer {secmon_mock.api_key}"}
            urllib.request.urlopen(urllib.request.Request(
                secmon_mock.base_url + "/api/v1/billing/provision", body, headers)).close()
    """)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*has no field host_name; did you mean hostname?*"])
