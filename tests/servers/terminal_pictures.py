"""Takes the pictures of ``regicide play`` for docs/terminal.md: ``python -m tests.servers.terminal_pictures``."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from api.commands.play.full_screen import GameScreen
from api.commands.play.personal_rating import Results
from api.commands.play.seating import Wishes, sit_down
from api.commands.running_or_temporary_server import open_client
from api.language import translator
from tests.chromium import find_chromium
from tests.servers.served import running_server
from tests.web.pictures import small

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
MOVES = 6
PAUSE_SECONDS = 0.1


async def drawn(url: str, ruleset: str, language: str, size: tuple[int, int]) -> str:
    """Return the screen after some moves, as an SVG."""
    with TemporaryDirectory() as folder, open_client(url, language) as client:
        wishes = Wishes("Ana", ruleset)
        game = sit_down(client, wishes, Results(Path(folder) / "results.json"), translator(language))
        screen = GameScreen(game)
        async with screen.run_test(size=size) as pilot:
            while game.game["version"] < MOVES or not game.must_act:
                await pilot.press("1", "enter")
                await pilot.pause(PAUSE_SECONDS)
            await pilot.pause(10 * PAUSE_SECONDS)
            picture = screen.export_screenshot(title="regicide play")
        game.leave()
    return picture


def main() -> None:
    """Take both, from chance positions."""
    with TemporaryDirectory() as folder, running_server(Path(folder) / "data") as served:
        pictures = {
            "terminal-80x24": asyncio.run(drawn(served.url, "regicide", "en", (80, 24))),
            "terminal-140x40": asyncio.run(drawn(served.url, "gridcannon", "es", (140, 40))),
        }
    with sync_playwright() as playwright:
        browser = find_chromium().launch(playwright)
        for name, picture in pictures.items():
            page = browser.new_page(viewport={"width": 1100, "height": 700})
            page.set_content(picture)
            (PICTURES / f"{name}.png").write_bytes(small(page.locator("svg").screenshot()))
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
