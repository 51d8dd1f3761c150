import dataclasses
from pathlib import Path

import pytest

from workers.settings import OTHER_VARIABLES, VARIABLES, BadSetting, Settings, unknown_variables
from workers.store_addresses import ALLOWED_SCHEMES_TEXT

HOME = {"HOME": "/home/ana"}


def test_without_a_word_everything_has_a_value():
    """A newcomer sets nothing: loopback, two workers, and a server of our own."""
    settings = Settings.from_environment(HOME)

    assert settings == Settings(data=Path("/home/ana/.local/share/regicide"))
    assert (settings.host, settings.port, settings.workers, settings.redis_url) == ("127.0.0.1", 8000, 2, None)
    assert (settings.body_limit, settings.idempotency_hours, settings.sweep_seconds) == (65_536, 24, 0.5)


@pytest.mark.parametrize(
    ("variable", "text", "field", "value"),
    [
        ("HOST", "0.0.0.0", "host", "0.0.0.0"),  # noqa: S104 - somebody may want to be reached
        ("PORT", "9000", "port", 9000),
        ("PORT", " 9000 ", "port", 9000),
        ("REDIS_URL", "redis://:secret@db:6379/1", "redis_url", "redis://:secret@db:6379/1"),
        ("REDIS_URL", "unix:///run/valkey.sock", "redis_url", "unix:///run/valkey.sock"),
        ("REDIS_URL", "", "redis_url", None),  # empty counts as not set
        ("REGICIDE_DATA", "/var/lib/games", "data", Path("/var/lib/games")),
        ("XDG_DATA_HOME", "/xdg", "data", Path("/xdg/regicide")),
        ("WORKERS", "0", "workers", 0),  # a web server whose workers run elsewhere
        ("WEB_WORKERS", "8", "web_workers", 8),
        ("REGICIDE_STREAMS", "0", "streams", 0),  # nobody may watch live
        ("REGICIDE_KEEP_ALIVE_SECONDS", "2.5", "keep_alive_seconds", 2.5),
        ("REGICIDE_BODY_LIMIT", "2048", "body_limit", 2048),
        ("REGICIDE_IDEMPOTENCY_HOURS", "48", "idempotency_hours", 48),
        ("REGICIDE_SWEEP_SECONDS", "0.25", "sweep_seconds", 0.25),
        ("REGICIDE_KEEP_WAITING_HOURS", "0", "keep_waiting_hours", 0),  # for ever
        ("REGICIDE_KEEP_WAITING_HOURS", "30m", "keep_waiting_hours", 0.5),
        ("REGICIDE_KEEP_WAITING_HOURS", "7d", "keep_waiting_hours", 7 * 24),
        ("REGICIDE_KEEP_IDLE_DAYS", "7", "keep_idle_days", 7),
        ("REGICIDE_KEEP_IDLE_DAYS", "12h", "keep_idle_days", 0.5),
        ("REGICIDE_KEEP_ENDED_DAYS", "0m", "keep_ended_days", 0),
        ("REGICIDE_KEEP_ENDED_DAYS", "365", "keep_ended_days", 365),
        ("REGICIDE_ARCHIVE", "/var/lib/archive", "archive", Path("/var/lib/archive")),
        ("REGICIDE_ARCHIVE", "none", "archive", None),  # games are deleted without one
        ("REGICIDE_RATE_CREATE", "0", "rate_create", 0),
        ("REGICIDE_RATE_JOBS", "30", "rate_jobs", 30),
        ("REGICIDE_RATE_REQUESTS", "600", "rate_requests", 600),
        ("REGICIDE_PROXIES", "1", "proxies", 1),
        (
            "REGICIDE_CORS_ORIGINS",
            "https://a.example, http://b:80",
            "cors_origins",
            ("https://a.example", "http://b:80"),
        ),
        ("REGICIDE_LOG_LEVEL", "WARNING", "log_level", "warning"),
    ],
)
def test_a_variable_says_otherwise(variable, text, field, value):
    """Each variable reaches its field and no other."""
    settings = Settings.from_environment({**HOME, variable: text})

    assert settings == dataclasses.replace(Settings.from_environment(HOME), **{field: value})


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"REGICIDE_DATA": "/games"}, Path("/games/archive")),
        ({"REGICIDE_DATA": "/games", "REGICIDE_ARCHIVE": "old"}, Path.cwd() / "old"),
        ({"REGICIDE_DATA": "/games", "REGICIDE_ARCHIVE": "none"}, None),
    ],
)
def test_the_archive_is_beside_the_games_unless_it_is_elsewhere(environ: dict[str, str], folder: Path | None):
    """Without a word in the data folder; a folder is meant from here."""
    assert Settings.from_environment({**HOME, **environ}).archive_folder == folder


def test_a_relative_folder_is_meant_from_here():
    """REGICIDE_DATA may be written as in a shell."""
    assert Settings.from_environment({**HOME, "REGICIDE_DATA": "games"}).data == Path.cwd() / "games"


@pytest.mark.parametrize(
    ("variable", "text", "complaint"),
    [
        ("PORT", "http", "PORT must be a whole number from 1 to 65535, not 'http'."),
        ("PORT", "0", "PORT must be a whole number from 1 to 65535, not '0'."),
        ("PORT", "65536", "PORT must be a whole number from 1 to 65535, not '65536'."),
        ("PORT", "٣", "PORT must be a whole number from 1 to 65535, not '٣'."),  # a digit, but not ours
        ("WORKERS", "-1", "WORKERS must be a whole number from 0 to 64, not '-1'."),
        ("WORKERS", "9" * 5000, f"WORKERS must be a whole number from 0 to 64, not '{'9' * 5000}'."),
        ("REDIS_URL", "http://u:secret@db", f"REDIS_URL must begin with {ALLOWED_SCHEMES_TEXT}."),
        (
            "REGICIDE_SWEEP_SECONDS",
            "soon",
            "REGICIDE_SWEEP_SECONDS must be a number of seconds from 0.05 to 3600, not 'soon'.",
        ),
        (
            "REGICIDE_SWEEP_SECONDS",
            "nan",
            "REGICIDE_SWEEP_SECONDS must be a number of seconds from 0.05 to 3600, not 'nan'.",
        ),
        (
            "REGICIDE_KEEP_ALIVE_SECONDS",
            "11",  # the contract promises 10
            "REGICIDE_KEEP_ALIVE_SECONDS must be a number of seconds from 0.05 to 10, not '11'.",
        ),
        (
            "REGICIDE_LOG_LEVEL",
            "loud",
            "REGICIDE_LOG_LEVEL must be one of debug, info, warning, error, not 'loud'.",
        ),
    ],
)
def test_a_bad_value_is_refused_by_its_name(variable, text, complaint):
    """The complaint names the variable and what it may be; a URL's password isn't repeated."""
    with pytest.raises(BadSetting) as refusal:
        Settings.from_environment({**HOME, variable: text})

    assert str(refusal.value) == complaint
    assert refusal.value.variable == variable


def test_every_setting_can_be_chosen():
    """No field without its variable, no variable without its field."""
    assert set(VARIABLES) == {field.name for field in dataclasses.fields(Settings)}


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("REGICIDE_KEEP_IDEL_DAYS", "Did you mean REGICIDE_KEEP_IDLE_DAYS?"),
        ("REGICIDE_REPLICA", "Did you mean REGICIDE_REPLICAS?"),
        ("REGICIDE_PORT", "Did you mean PORT?"),
        ("REGICIDE_", "`regicide serve --help` lists those that there are."),
        ("REGICIDE_XYZZY", "`regicide serve --help` lists those that there are."),
    ],
)
def test_a_variable_that_is_none(name: str, near: str):
    """It is named, with the nearest one that there is."""
    assert unknown_variables({**HOME, name: "1"}) == [f"There is no variable {name}: it changes nothing. {near}"]


def test_variables_that_there_are():
    """Nothing is said of them, nor of what other commands read."""
    known = {variable.name: "1" for variable in VARIABLES.values()} | {
        f"REGICIDE_{name}": "1" for name in OTHER_VARIABLES
    }

    assert unknown_variables({**HOME, **known, "XREGICIDE_PORT": "1", "regicide_port": "1"}) == []


def test_every_variable_has_a_flag_of_its_own():
    """Named as the variable is."""
    flags = [variable.flag for variable in VARIABLES.values()]

    assert len(set(flags)) == len(flags)
    assert {"--port", "--host", "--redis-url", "--keep-idle-days"} <= set(flags)
