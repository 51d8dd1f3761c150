"""The full screen, by Textual: the table, the log of events, and the actions that are possible now.

Requests run in threads, and ``_on_screen`` shows the results. One thread waits for changes of the game during the
whole game. After an action no other action can be chosen until the new possible actions are shown. Otherwise a second
Enter would take the same action again.
"""

import asyncio
import select
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import Lock, Thread
from typing import ClassVar, Final

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from api.commands.play.game_presenter import GamePresenter
from api.commands.printable_text import printable
from engines.core.phrase import Phrase
from regicide_client import RegicideError
from regicide_client.types import Decision, Game, Legal

KEY_HELP_PHRASES: Final = (
    Phrase("1, 2, 3 …: choose an action by its number, or with the arrows"),
    Phrase("Enter: act"),
    Phrase("h: a hint"),
    Phrase("p: what you may do on others' turns"),
    Phrase("r: a review, after the end"),
    Phrase("?: this list; Escape closes it"),
    Phrase("q: quit"),
)
ACTIONS_DISABLED_IN_PUZZLES: Final = ("hint", "ploys", "review")
"""Names of the Textual actions whose keys have no effect in a puzzle."""
PUZZLE_KEY_HELP_PHRASES: Final = (*KEY_HELP_PHRASES[:2], *KEY_HELP_PHRASES[-2:])
DIGITS: Final = "0123456789"
RED_CARD_PATTERN: Final = r"\w+[♥♦]"
TERMINAL_CHECK_SECONDS: Final = 1.0
SIGNAL_EXIT_STATUS_BASE: Final = 128
"""Exit status for a signal, to which the signal's number is added."""


def is_terminal_gone() -> bool:
    """Return whether the terminal of standard input has been closed."""
    looked_at = select.poll()
    looked_at.register(sys.__stdin__ or 0, 0)  # a hang-up is always reported, whichever events are requested
    return bool(looked_at.poll(0))


def with_red_suits(text: str) -> Text:
    """Return *text* with the cards of the red suits in red."""
    written = Text(printable(text))
    written.highlight_regex(RED_CARD_PATTERN, "bright_red")
    return written


class KeysScreen(ModalScreen[None]):
    """The list of keys."""

    BINDINGS: ClassVar = [Binding("escape,question_mark,enter,q", "dismiss", show=False)]

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = lines

    def compose(self) -> ComposeResult:
        yield Static("\n".join(self._lines), id="keys", markup=False)


class GameScreen(App[None]):
    """A game on the whole screen."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layers: base; }
    #heading { height: 1; background: $primary; color: $text; padding: 0 1; }
    #middle { height: 1fr; }
    #table { width: auto; min-width: 44; max-width: 70%; height: auto; max-height: 100%; padding: 0 1; }
    #log { width: 1fr; min-width: 30; border-left: solid $primary-darken-2; padding: 0 1; scrollbar-size: 1 1; }
    .narrow #middle { layout: vertical; }
    .narrow #table { width: 100%; max-width: 100%; max-height: 11; }
    .narrow #log { width: 100%; height: 1fr; border-left: none; border-top: solid $primary-darken-2; }
    #says { height: auto; max-height: 3; padding: 0 1; color: $accent; }
    #choices { height: auto; max-height: 9; border: none; border-top: solid $primary-darken-2; }
    KeysScreen { align: center middle; }
    #keys { width: auto; height: auto; padding: 1 3; background: $surface; border: round $primary; }
    """
    BINDINGS: ClassVar = [
        Binding("enter", "act", priority=True, show=False),
        *(Binding(digit, f"type_digit('{digit}')", priority=True, show=False) for digit in DIGITS),
        Binding("h", "hint", "hint"),
        Binding("p", "ploys", "others' turns"),
        Binding("r", "review", "review"),
        Binding("question_mark", "show_keys", "keys", key_display="?"),
        Binding("q", "leave", "quit"),
        Binding("ctrl+c", "leave", priority=True, show=False),
    ]
    WIDE_COLUMNS: Final = 110

    def __init__(self, game: GamePresenter) -> None:
        super().__init__()
        self._played = game
        self._choices: Sequence[Legal] = ()
        self._typed = ""
        self._is_busy = False
        self._reading = Lock()

    def compose(self) -> ComposeResult:
        yield Static(printable(self._played.heading()), id="heading", markup=False)
        with Vertical():
            with Horizontal(id="middle"):
                yield Static(id="table", markup=False)
                yield RichLog(id="log", wrap=True, min_width=20, markup=False)
            yield Static(id="says", markup=False)
            yield OptionList(id="choices", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Describe the keys in the reader's language, and start the threads."""
        self._name_keys()
        self.refresh_bindings()
        self.query_one("#choices").focus()
        self.query_one("#log", RichLog).can_focus = False
        self.set_interval(TERMINAL_CHECK_SECONDS, self._end_without_terminal)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, self._end_by, number)
        self._start(self._hear_table)
        self._show_soon()

    def _name_keys(self) -> None:
        """Describe the keys of the footer in the reader's language."""
        named = {
            "hint": Phrase("Hint"),
            "ploys": Phrase("Others' turns"),
            "review": Phrase("Review"),
            "show_keys": Phrase("Keys"),
            "leave": Phrase("Quit"),
        }
        for key, bindings in self._bindings.key_to_bindings.items():
            self._bindings.key_to_bindings[key] = [
                replace(one, description=self._played.say(named[one.action])) if one.action in named else one
                for one in bindings
            ]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002  Textual's signature
        """Return whether a key has an effect in this game."""
        return not (self._played.is_puzzle and action in ACTIONS_DISABLED_IN_PUZZLES)

    def on_resize(self) -> None:
        """Put the log beside the table if there is room."""
        self.screen.set_class(self.size.width < self.WIDE_COLUMNS, "narrow")

    def _hear_table(self) -> None:
        try:
            for game in self._played.changes():
                self._on_screen(self._arrived, game)
        except RegicideError as error:
            self._on_screen(self._say, str(error))

    def _arrived(self, game: Game) -> None:
        if self._played.take(game):
            self._show_soon()

    def _show_soon(self) -> None:
        self._start(self._read_news)

    def _read_news(self) -> None:
        """Read and show the new events and the possible actions. Concurrent calls wait for each other."""
        with self._reading:
            try:
                news = self._played.news()
                choices = self._played.choices() if self._played.must_act else []
            except RegicideError as error:
                self._on_screen(self._say, str(error))
            else:
                self._on_screen(self._show, news, choices)

    def _show(self, news: Sequence[str], choices: Sequence[Legal]) -> None:
        log = self.query_one("#log", RichLog)
        for line in news:
            log.write(with_red_suits(line))
        self.query_one("#table", Static).update(with_red_suits("\n".join(self._played.table())))
        self._offer(choices)
        if self._played.is_over:
            self._say(f"{self._played.ending()}")
        elif not self._played.must_act:
            self._say(self._played.waits_for())
        else:
            self._say(self._played.asks())

    def _offer(self, choices: Sequence[Legal]) -> None:
        self._choices, self._typed = choices, ""
        listed = self.query_one("#choices", OptionList)
        listed.clear_options()
        listed.add_options(
            [Option(with_red_suits(f"{number}. {one['label']}")) for number, one in enumerate(choices, 1)]
        )
        if len(choices) == 1:
            listed.highlighted = 0

    def _say(self, words: str) -> None:
        self.query_one("#says", Static).update(printable(words))

    def action_type_digit(self, digit: str) -> None:
        """Choose an action by its number. Digits typed one after the other make one number."""
        if isinstance(self.screen, KeysScreen):
            return
        wanted = self._typed + digit
        if not 1 <= int(wanted) <= len(self._choices):
            wanted = digit
        if 1 <= int(wanted) <= len(self._choices):
            self._typed = wanted
            self.query_one("#choices", OptionList).highlighted = int(wanted) - 1

    def action_act(self) -> None:
        """Take the highlighted action. If the list of keys is shown, close the list instead."""
        if isinstance(self.screen, KeysScreen):
            self.screen.dismiss()
            return
        chosen = self.query_one("#choices", OptionList).highlighted
        if chosen is None or self._is_busy or not self._choices:
            return
        text = self._choices[chosen]["text"]

        def act() -> None:
            self._played.act(text)
            self._read_news()

        self._in_thread(act, lambda: None)

    def action_hint(self) -> None:
        """Show a hint by an AI."""
        said = list[str]()
        self._say(self._played.say(Phrase("An AI is thinking about it.")))
        self._in_thread(lambda: said.extend(self._played.hint()), lambda: self._say("\n".join(said)))

    def action_ploys(self) -> None:
        """List the actions that may interrupt other seats."""
        found = list[Legal]()

        def ask() -> None:
            if self._played.may_act or self._played.must_act:
                found.extend(self._played.choices())

        def show() -> None:
            self._offer(found)
            if not found:
                self._say(self._played.say(Phrase("There is nothing that you may do now.")))

        self._in_thread(ask, show)

    def action_review(self) -> None:
        """After the end, show the decisions that lowered the chances to win."""
        if not self._played.is_over:
            return
        found = list[Decision]()
        self._say(self._played.say(Phrase("An AI is reviewing your game.")))

        def show() -> None:
            log = self.query_one("#log", RichLog)
            for one in found:
                log.write(printable(self._played.better(one)))
            self._say(
                self._played.ending() if found else self._played.say(Phrase("An AI finds no mistake in your game."))
            )

        self._in_thread(lambda: found.extend(self._played.review()), show)

    def action_show_keys(self) -> None:
        keys = PUZZLE_KEY_HELP_PHRASES if self._played.is_puzzle else KEY_HELP_PHRASES
        self.push_screen(KeysScreen([self._played.say(line) for line in keys]))

    def _end_without_terminal(self) -> None:
        """End if the terminal was closed without a SIGHUP. Textual itself would read the end of its input forever."""
        if is_terminal_gone():
            self._end_by(signal.SIGHUP)

    def _end_by(self, number: signal.Signals) -> None:
        """Exit because of a signal: with status 0 for SIGINT (Ctrl-C quits), else with 128 plus its number."""
        self.exit(return_code=0 if number == signal.SIGINT else SIGNAL_EXIT_STATUS_BASE + number)

    def action_leave(self) -> None:
        """Quit and restore the terminal."""
        self.exit()

    def _in_thread(self, ask: Callable[[], object], then: Callable[[], object]) -> None:
        """Run the request *ask* in a thread. Afterwards call *then* on the screen's thread.

        If *ask* raises ``RegicideError``, load and show the game again, then show the error instead. Do nothing while
        an earlier call's request is still running.
        """
        if self._is_busy:
            return
        self._is_busy = True

        def work() -> None:
            try:
                ask()
            except RegicideError as error:
                self._read_again()
                self._on_screen(self._done, partial(self._say, str(error)))
            else:
                self._on_screen(self._done, then)

        self._start(work)

    def _start(self, work: Callable[[], None]) -> None:
        Thread(target=work, daemon=True).start()

    def _on_screen(self, show: Callable[..., object], *what: object) -> None:
        """Call *show* on the screen's thread. Do nothing if the screen has ended."""
        if self.is_running:
            self.call_from_thread(show, *what)

    def _done(self, then: Callable[[], object]) -> None:
        self._is_busy = False
        then()

    def _read_again(self) -> None:
        """Load and show the present state of the game after a refusal."""
        try:
            self._played.refresh()
        except RegicideError as error:
            self._on_screen(self._say, str(error))
        else:
            self._read_news()


def play(game: GamePresenter) -> None:
    """Play a game on the whole screen. Raises ``SystemExit`` if a signal ended it."""
    screen = GameScreen(game)
    screen.run()
    if screen.return_code:
        raise SystemExit(screen.return_code)
