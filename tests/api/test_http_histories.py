"""Some thousand random histories of clients; ``python -m tests.http_histories`` plays as many as are wanted."""

from secrets import randbelow

from tests.http_histories import play

HISTORIES = 1_000


def test_nothing_is_left_of_clients_that_have_gone():
    """Whatever they do, at any turn of the loop; what fails names its seed."""
    play(randbelow(1_000_000), HISTORIES)
