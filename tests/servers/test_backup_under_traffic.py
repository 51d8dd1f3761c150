"""A backup is made while people play: whatever was answered before it began is there."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

from regicide_client.client import Player
from tests.servers.commands import run
from tests.servers.served import running_server
from tests.servers.test_store_commands import HUMAN
from tests.waiting import comes_true

GAMES = 20


def test_every_move_up_to_the_backup_is_there(tmp_path: Path):
    """In twenty games people act as fast as they can; the backup is restored elsewhere, where they go on."""
    data, file, elsewhere = tmp_path / "data", tmp_path / "games.backup", tmp_path / "elsewhere"
    stop, begun = Event(), Event()
    answered = dict[str, int]()

    def play(player: Player) -> None:
        while not stop.is_set():
            actions = player.actions()
            if not actions:
                break
            version = player.act(actions[0]["text"])["version"]
            if not begun.is_set():
                answered[player.game_id] = version

    with running_server(data) as served, served.client() as client, ThreadPoolExecutor(GAMES) as threads:
        players = [client.create("regicide", [HUMAN]).players[0] for _ in range(GAMES)]
        playing = [threads.submit(play, player) for player in players]
        try:
            are_played = comes_true(lambda: len(answered) == GAMES, within=60)
            begun.set()
            made = run("backup", str(file), data=data)
        finally:
            stop.set()
        for one in playing:
            one.result()
    restored = run("restore", str(file), data=elsewhere)

    assert (made.returncode, restored.returncode) == (0, 0), made.stderr + restored.stderr
    assert are_played
    with running_server(elsewhere) as served, served.client() as client:
        found = {player.game_id: Player(client, player.game_id, player.token).fetch() for player in players}
    assert {game: look["you"] for game, look in found.items()} == dict.fromkeys(found, 0)
    assert [game for game, version in answered.items() if found[game]["version"] < version] == []
