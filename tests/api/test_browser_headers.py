"""Proxies, pages of other origins, and what browsers are forbidden."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient
from structlog.testing import capture_logs

from api.app import create_app
from tests.api.games import ANA, Game, new_game
from tests.api.puzzles import QUIET
from workers.settings import BadSetting, Settings
from workers.storage.store import Store

Serve = Callable[..., FlaskClient]
PAGE = "https://play.example"
FORWARDED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "regicide.example"}


@pytest.fixture
def serve(settings: Settings, store: Store) -> Serve:
    """Give a maker of servers with other settings."""
    return lambda **chosen: create_app(replace(settings, **chosen), store).test_client(use_cookies=False)


# Proxies


@pytest.mark.parametrize("proxies", [0, 1, 2])
def test_as_many_proxies_as_there_are(serve: Serve, proxies: int):
    """Of the addresses that were forwarded just those are believed that our own proxies wrote."""
    http = serve(proxies=proxies, rate_requests=1)

    def ask(forwarded: str) -> int:
        return http.get("/v1/games", headers={"X-Forwarded-For": forwarded}).status_code

    # The last address was written by the proxy next to us; what stands before it the client may have invented.
    assert ask("203.0.113.1, 203.0.113.2") == 200
    assert ask("203.0.113.1, 203.0.113.3") == (200 if proxies == 1 else 429)
    assert ask("203.0.113.4, 203.0.113.3") == (200 if proxies == 2 else 429)


def test_https_is_kept(serve: Serve):
    """Whoever came by it shall come by it again; that is said over it alone."""
    header = "Strict-Transport-Security"

    assert header not in serve().get("/healthz", headers=FORWARDED).headers  # nobody is believed
    assert header not in serve(proxies=1).get("/healthz").headers
    assert serve(proxies=1).get("/healthz", headers=FORWARDED).headers[header] == "max-age=31536000"


# What every answer says


@pytest.mark.parametrize("path", ["/healthz", "/v1/games", "/nothing", "/openapi.yaml", "/v1/rulesets/regicide/rules"])
def test_every_answer_is_guarded(http: FlaskClient, path: str):
    """No sniffing, no frames, no scripts, no word to other sites about where somebody came from."""
    headers = http.get(path).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_pages_load_nothing_from_elsewhere(settings: Settings, store: Store):
    """A page of ours may have its own scripts and styles, nobody else's."""
    app = create_app(settings, store)
    app.add_url_rule("/page", view_func=lambda: "<p>")
    policy = app.test_client().get("/page").headers["Content-Security-Policy"].split("; ")

    assert {"default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"} <= set(policy)
    assert not [rule for rule in policy if "http" in rule or "*" in rule or "unsafe-eval" in rule]


# Other origins


def preflight(
    http: FlaskClient, game: Game, origin: str, method: str = "POST", asked: str = "Authorization"
) -> dict[str, str]:
    """Ask as a browser does before it lets a page act, and return the answer's headers."""
    headers = {"Origin": origin, "Access-Control-Request-Method": method, "Access-Control-Request-Headers": asked}
    answer = http.options(f"/v1/games/{game.id}/actions", headers=headers)
    assert answer.status_code == 200
    return {name: value for name, value in answer.headers.items() if name.startswith("Access-Control-")}


def test_by_default_no_page_but_ours(http: FlaskClient):
    """Without the setting no origin is let in."""
    game = new_game(http, position=QUIET)

    assert preflight(http, game, PAGE) == {}
    assert "Access-Control-Allow-Origin" not in game.ask("GET", "", 0, headers={"Origin": PAGE}).headers


def listed(header: str) -> set[str]:
    """Return the names in a header."""
    return {name.strip().lower() for name in header.split(",")}


SENT = {
    "authorization",
    "content-type",
    "if-match",
    "if-none-match",
    "idempotency-key",
    "last-event-id",
    "accept-language",
}


def test_a_chosen_origin(serve: Serve):
    """May send every header of the contract, by every method, and read every header that it needs."""
    http = serve(cors_origins=(PAGE, "http://localhost:5173"))
    game = new_game(http, position=QUIET)

    headers = preflight(http, game, PAGE, asked=", ".join(sorted(SENT)))
    answer = game.act(0, "play 5S", origin=PAGE)

    assert headers["Access-Control-Allow-Origin"] == answer.headers["Access-Control-Allow-Origin"] == PAGE
    assert listed(headers["Access-Control-Allow-Headers"]) >= SENT
    assert listed(headers["Access-Control-Allow-Methods"]) >= {"get", "post", "delete"}
    assert "Access-Control-Allow-Credentials" not in headers
    assert listed(answer.headers["Access-Control-Expose-Headers"]) >= {
        *("etag", "location", "ratelimit", "ratelimit-policy", "retry-after", "x-request-id"),
    }
    assert {"origin", "authorization", "accept-language"} <= listed(",".join(answer.headers.getlist("Vary")))


def test_a_refusal_can_be_read_too(serve: Serve):
    """A page that is refused must see why."""
    http = serve(cors_origins=(PAGE,), rate_create=1)
    body = {"ruleset": "regicide", "seats": [ANA]}

    answers = [http.post("/v1/games", json=body, headers={"Origin": PAGE}) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 429]
    assert {answer.headers["Access-Control-Allow-Origin"] for answer in answers} == {PAGE}
    assert http.get("/nothing", headers={"Origin": PAGE}).headers["Access-Control-Allow-Origin"] == PAGE


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "https://play.example.evil",
        "http://play.example",
        "https://xplay.example",
        "https://playxexample",
        "null",
    ],
)
def test_any_other_origin(serve: Serve, origin: str):
    """Isn't let in, however alike it looks."""
    http = serve(cors_origins=(PAGE,))
    game = new_game(http)

    assert "Access-Control-Allow-Origin" not in preflight(http, game, origin)
    assert "Access-Control-Allow-Origin" not in game.ask("GET", "", 0, headers={"Origin": origin}).headers


@pytest.mark.parametrize(
    "text", ["*", "play.example", "https://play.example/", "https://play.example, *", "https://PLAY.example"]
)
def test_what_is_no_origin(text: str):
    """The setting lists origins as browsers write them; there is none for everybody."""
    with pytest.raises(BadSetting, match="REGICIDE_CORS_ORIGINS must list origins"):
        Settings.from_environment({"HOME": "/home/ana", "REGICIDE_CORS_ORIGINS": text})


def test_a_page_that_is_known_keeps_its_policy(http: FlaskClient):
    """A browser puts what comes with 304 in place of what it has: a policy for data would stop the page's scripts."""
    page = http.get("/")
    again = http.get("/", headers={"If-None-Match": page.headers["ETag"]})

    assert (page.status_code, again.status_code) == (200, 304)
    policies = [answer.headers["Content-Security-Policy"] for answer in (page, again)]
    assert policies[0] == policies[1]
    assert "script-src 'self'" in policies[0]


def refused(http: FlaskClient, origin: str, **headers: str) -> list[Any]:
    """Ask from a page of an origin, and return what the log says of refused ones."""
    with capture_logs() as logs:
        http.get("/v1/games", headers={"Origin": origin, **headers})
    return [line for line in logs if line["event"] == "origin_refused"]


@pytest.mark.parametrize("allowed", [(), ("http://localhost:5173",)])
def test_a_refused_origin_is_logged_once(serve: Serve, allowed: tuple[str, ...]):
    """With what is allowed and by which setting: the browser says neither. 127.0.0.1 isn't localhost."""
    http = serve(cors_origins=allowed)

    (line,) = refused(http, "http://127.0.0.1:5173")

    assert {name: line[name] for name in ("log_level", "origin", "allowed", "setting")} == {
        "log_level": "warning",
        "origin": "http://127.0.0.1:5173",
        "allowed": allowed,
        "setting": "REGICIDE_CORS_ORIGINS",
    }
    assert refused(http, "http://127.0.0.1:5173") == []


def test_an_allowed_origin_and_our_own_are_not_logged(serve: Serve):
    """Nor one behind a proxy that changes the name of the server: its browser says that it is the same."""
    http = serve(cors_origins=(PAGE,))

    assert refused(http, PAGE) == []
    assert refused(http, "http://localhost") == refused(http, "https://localhost") == []
    assert refused(http, "https://outside.example", **{"Sec-Fetch-Site": "same-origin"}) == []


def test_refused_origins_do_not_fill_the_log(serve: Serve):
    """Clients choose them: a process logs a hundred, each cut off."""
    http = serve()

    logged = [line for number in range(150) for line in refused(http, f"https://{number}.example/{'x' * 1000}")]

    assert len(logged) == 100
    assert max(len(line["origin"]) for line in logged) == 200
