"""Write the store that a checkout leaves: ``python -m tests.workers.golden.stores CHECKOUT``."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from redis import Redis

from regicide_client import RegicideClient
from tests.servers.service import Service
from tests.workers.golden.stores.dumps import HERE, taken, write
from workers.processes.redis_server import RedisServer, find_server

SEATS = {
    "regicide": [{"kind": "human", "name": "Ana"}, {"kind": "ai", "level": "novice"}],
    "gridcannon": [{"kind": "human", "name": "Ben"}, {"kind": "ai", "level": "adept"}],
}


def main(checkout: Path) -> None:
    """Play a little, so that an AI owes a turn in no game and a person in each."""
    named = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=checkout, check=True, capture_output=True)
    with TemporaryDirectory() as name, RedisServer(Path(name, "store"), find_server()) as store:
        service = Service(Path(name, "data"), {"REDIS_URL": store.url, "WEB_WORKERS": "1"}, checkout)
        try:
            with RegicideClient(service.url, retry_seconds=60) as server:
                for ruleset, seats in SEATS.items():
                    me = server.create(ruleset, seats).players[0]
                    for _ in range(3):
                        me.wait_for_turn(timeout=30)
                        me.act(me.actions()[0]["text"])
                    me.wait_for_turn(timeout=30)
        finally:
            service.end()
        with Redis.from_url(store.url) as redis:
            write(HERE / f"{named.stdout.decode().strip()}.json", taken(redis))


main(Path(sys.argv[1]).absolute())
