"""The fixture ``secmon_mock``: a fresh account for each test.

A marker gives the account options: ``@pytest.mark.secmon_mock(scenario="clean", rate_limit=False)``. With
``secmon_mock_deny_notices = true`` in pytest's configuration a test fails where it was careless.
"""

import pytest

from secmon_mock import Mock


def pytest_addoption(parser):
    parser.addini("secmon_mock_deny_notices", "fail a test whose calls got a notice", type="bool", default=False)


def pytest_configure(config):
    config.addinivalue_line("markers", "secmon_mock(**options): options of the account that the fixture secmon_mock makes")


@pytest.fixture(scope="session")
def secmon_mock_server():
    """The server: that of ``secmon-mock exec``, else one that is started for these tests."""
    running = Mock.from_environment()
    if running is not None:
        yield running
        return
    with Mock.start() as mock:
        yield mock


@pytest.fixture
def secmon_mock(secmon_mock_server, request):
    """A fresh account, with ``base_url``, ``api_key``, ``clock``, ``fault`` and ``wait_for``."""
    marker = request.node.get_closest_marker("secmon_mock")
    account = secmon_mock_server.account(**(marker.kwargs if marker else {}))
    yield account
    notices = account.notices() if request.config.getini("secmon_mock_deny_notices") else []
    account.remove()
    if notices:
        pytest.fail("careless calls:\n" + "\n".join(notices), pytrace=False)
