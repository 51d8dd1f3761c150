"""``regicide check-ruleset`` finds the faults that authors of games make, and says how to mend each."""

import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib import import_module, invalidate_caches
from io import BytesIO
from pathlib import Path
from random import Random
from time import process_time
from typing import Annotated, Any, ClassVar

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from click.testing import CliRunner

from api.commands.check_ruleset import call_limit, checks, command
from api.commands.check_ruleset.generated_games import AiFault, LawBroken
from api.commands.check_ruleset.laws import law_of_outcomes
from api.commands.check_ruleset.laws_on_views import law_7_worlds_that_look_alike_act_alike
from api.commands.cli import main
from engines import RULESETS
from engines.contract.default_levels import LEVELS, ROLLOUTS
from engines.core.dealer import Dealer
from engines.core.errors import IllegalAction
from engines.core.phrase import Phrase
from engines.core.schemas import whole
from engines.ruleset import (
    Action,
    Budget,
    Event,
    Json,
    Level,
    Policy,
    Position,
    Reader,
    Ruleset,
    SampledWorlds,
    SeededDealer,
    Verdict,
    step,
)
from engines.table.preview import preview
from examples.race.regicide_race.ruleset import Dash, Step, Track
from examples.sealed import Lay, Sealed, Table
from tests.contract import tictactoe
from tests.contract.tictactoe import TicTacToe
from tests.rulesets import PlainRace as Race

pytestmark = pytest.mark.search

RACE = Path(sys.modules[Track.__module__].__file__ or "").read_text("utf-8")


class SharedList(Track):
    """The list of those who have dashed belongs to all copies."""

    def copy(self) -> "SharedList":
        return replace(self)


class OtherCheck(Track):
    """``check`` allows a dash to everybody."""

    def check(self, seat: int, action: Action) -> None:
        if seat == self.turn or not isinstance(action, Step) or self.is_over:
            super().check(seat, action)


@dataclass(frozen=True)
class ToldDealt(Event):
    """A card is dealt, and everybody is told which."""

    card: Annotated[int, whole(1, 6)]


class ToldDeal(Race):
    """The deal tells everybody the hidden cards."""

    events: ClassVar[Any] = (*Race.events, ToldDealt)

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Track:
        track = super().new(players, options, dealer)
        if events is not None:
            events.extend(ToldDealt(seat, card) for seat, card in enumerate(track.cards))
        return track


class ToldCard(Track):
    """Each move tells everybody the hidden card of whoever moves."""

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        super().apply(seat, action, dealer, events)
        if events is not None:
            events.append(ToldDealt(seat, self.cards[seat]))


class Endless(Track):
    """Nobody gets on."""

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        super().apply(seat, action, dealer, events)
        self.total, self.dashed = 0, []


class LostTurn(Track):
    """The dump lacks what is rolled: ``load`` refuses it."""

    def dump(self) -> Json:
        written = super().dump()
        del written["resting"]
        return written


@dataclass(frozen=True)
class Rolled(Event):
    """A die is rolled under a cup: its seat alone may know it, and everybody is told."""

    face: Annotated[int, whole(1, 6)]


class ToldRoll(Track):
    """After each step the card of whoever moved is rolled anew, and told to everybody."""

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        super().apply(seat, action, dealer, events)
        self.cards[seat] = dealer.below(6) + 1
        if events is not None:
            events.append(Rolled(seat, self.cards[seat]))

    def copy(self) -> "ToldRoll":
        return replace(self, cards=self.cards[:], dashed=self.dashed[:])


class SilentRoll(ToldRoll):
    """The card is rolled anew, and its seat isn't told."""

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        super().apply(seat, action, dealer)
        if events is not None:
            events.extend([])


def race_of(track: type[Track], *more: type[Event]) -> Ruleset:
    """Return the race with another position."""

    class Faulty(Race):
        """A race with a fault."""

        events: ClassVar[Any] = (*Race.events, *more)

        def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Track:
            return track(**vars_of(super().new(players, options, dealer, events)))

        def load(self, position: object) -> Track:
            return track(**vars_of(super().load(position)))

    return Faulty()


class ForeseenCards(Sealed):
    """The preview of the last card shows what others have laid face down."""

    foreseen: ClassVar[Any] = ("laid", "shown")


class ForeseenDeal(Sealed):
    """The preview is certain though the card that is laid may be the last one."""

    determined: ClassVar[Any] = ("shown",)


def vars_of(track: Track) -> Json:
    """Return the fields of a position."""
    return {name: getattr(track, name) for name in track.__dataclass_fields__}


class OtherWorlds(Race):
    """Worlds deal new cards to everybody, also to the seat that knows its own."""

    def worlds(self, view: Json) -> SampledWorlds[Track]:
        return SampledWorlds(lambda rng: self.load(view | {"cards": [rng.randint(1, 6) for _ in view["cards"]]}))


class OpenTable(Table):
    """Cards that lie face down are in all views."""

    def copy(self) -> "OpenTable":
        return OpenTable(**asdict(self))

    def view(self, seat: int | None) -> Json:
        return {**super().view(seat), "laid": self.laid[:]}


class OpenSealed(Sealed):
    """``Sealed`` with such tables."""

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Table:
        return OpenTable(**asdict(super().new(players, options, dealer, events)))


class LateView(Track):
    """Once four steps are done, every view shows all cards."""

    def view(self, seat: int | None) -> Json:
        return self.dump() if self.total > 3 else super().view(seat)


class LateTable(Table):
    """After the first round each seat sees all hands."""

    def copy(self) -> "LateTable":
        return LateTable(**asdict(super().copy()))

    def view(self, seat: int | None) -> Json:
        shown = super().view(seat)
        return shown if seat is None or not self.shown else {**shown, "hands": [hand[:] for hand in self.hands]}


class LateSealed(Sealed):
    """``Sealed`` with such tables."""

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Table:
        return LateTable(**asdict(super().new(players, options, dealer, events)))

    def load(self, position: object) -> Table:
        return LateTable(**asdict(super().load(position)))


FAULTS: Sequence[tuple[str, Callable[[], Ruleset], str, str]] = [
    ("shared list", lambda: race_of(SharedList), "3 a step changes no other position", "dashed"),
    ("legal and check", lambda: race_of(OtherCheck), "4 legal and check agree", "`check` accepts it, `legal` doesn't"),
    ("told deal", ToldDeal, "7 chance is told to whom it shows", "the deal: "),
    (
        "hidden value",
        lambda: race_of(ToldCard, ToldDealt),
        "7 events tell what views show",
        "is told events that differ",
    ),
    ("no load", lambda: race_of(LostTurn), "2 a dump loads", "load(dump()) is refused"),
    ("other worlds", OtherWorlds, "6 worlds fit the view", "has another view: cards"),
    ("endless", lambda: race_of(Endless), "8 every game ends", "isn't over after"),
    ("told roll", lambda: race_of(ToldRoll, Rolled), "7 chance is told to whom it shows", "is told events that differ"),
    ("foreseen cards", ForeseenCards, "7 previews come true", "list what depends on what the seat doesn't know: "),
    ("determined cards", ForeseenDeal, "7 previews come true", "list what depends on what the seat doesn't know: "),
    (
        "late view",
        lambda: race_of(LateView),
        "7 views hide what events hide",
        "had equal views and is told equal events, and then has views that differ: cards: [",
    ),
    ("late hands", LateSealed, "7 views hide what events hide", "and then has views that differ: hands: ["),
    ("silent roll", lambda: race_of(SilentRoll), "7 chance is told to whom it shows", "views that differ"),
]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch):
    """An endless game is known by two seconds here."""
    monkeypatch.setattr(checks, "ENDLESS_AFTER_SECONDS", 2.0)


def checked(name: str = "race", *flags: str) -> tuple[int, str]:
    """Run the command; return its exit code and what it printed."""
    done = CliRunner().invoke(main, ["check-ruleset", name, *(flags or ("--seconds", "1"))])
    return done.exit_code, done.output


def found(ruleset: Ruleset, law: str) -> checks.Finding | None:
    """Return what breaks the law of that name."""
    (tried,) = [one for one in checks.LAWS if one.name == law]
    return checks.find(ruleset, tried, seconds=5.0)


def test_a_view_that_shows_what_an_event_hides():
    """Its law tells which actions look alike to whom; without the fault nothing is found."""
    law = "7 views hide what events hide"

    finding = found(OpenSealed(), law)

    assert finding is not None
    assert "is told equal events, and then has views that differ" in finding.what
    assert found(Sealed(), law) is None


def test_a_view_that_shows_hands_later():
    """The finding says what to mend; hands that are shown when the game has ended are no fault."""

    class ShownAtTheEnd(Track):
        """The end shows all cards."""

        def view(self, seat: int | None) -> Json:
            return self.dump() if self.is_over else super().view(seat)

    law = "7 views hide what events hide"

    finding = found(race_of(LateView), law)

    assert finding is not None
    assert finding.mend.startswith("hide it in `view` too as long as the game runs, or tell it in an event")
    assert found(race_of(ShownAtTheEnd), law) is None


@dataclass
class Hands(Position):
    """Two sorted hands of two cards."""

    hands: list[list[str]]
    outcome: Json | None = None

    def __post_init__(self) -> None:
        self.players = 2

    def copy(self) -> "Hands":
        return replace(self)

    def dump(self) -> Json:
        return {"ruleset": "hands", "hands": [hand[:] for hand in self.hands]}

    def view(self, seat: int | None) -> Json:
        return {"ruleset": "hands", "hands": [hand[:] if n == seat else None for n, hand in enumerate(self.hands)]}

    def to_act(self) -> list[int]:
        return [0]

    def legal(self, seat: int) -> list[Action]:
        return []

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        raise AssertionError("no action is legal")


class HandsGame(Race):
    """A game of such hands, whose ``load`` refuses unsorted hands, or sorts them."""

    def __init__(self, *, sorts: bool) -> None:
        super().__init__()
        self._sorts = sorts

    def new(self, players: int, options: object, dealer: Dealer, events: list[Event] | None = None) -> Any:
        return Hands([["2C", "4C"], ["3C", "5C"]])

    def load(self, position: Any) -> Any:
        hands = [sorted(hand) for hand in position["hands"]]
        if not self._sorts and hands != position["hands"]:
            raise Reader(position).refusal("hands", Phrase("is sorted"))
        return Hands(hands)


@pytest.mark.parametrize("sorts", [False, True])
def test_hidden_cards_that_cannot_be_exchanged(monkeypatch: pytest.MonkeyPatch, *, sorts: bool):
    """Law 6 finds nothing where ``load`` refuses each exchange: the check warns of it."""
    monkeypatch.setitem(RULESETS, "hands", HandsGame(sorts=sorts))
    monkeypatch.setattr(command, "check", lambda *_: ())

    code, said = checked("hands")

    assert code == 0
    assert ("warning law 6 could exchange no two hidden cards" in said) is not sorts


class Refusing(Track):
    """``check`` refuses a dash that ``legal`` lists."""

    def check(self, seat: int, action: Action) -> None:
        if not isinstance(action, Step):
            raise IllegalAction(Phrase("Nobody dashes."))
        super().check(seat, action)


def test_an_action_that_is_listed_and_refused():
    """Whatever law meets it first names the law that it breaks."""
    finding = found(race_of(Refusing), "8 every game ends")

    assert finding is not None
    assert finding.what == "an action that `legal` lists is refused: Nobody dashes."
    assert finding.mend == "let `legal` and `check` agree (law 4)"


def race_of_novice(choose: Callable[[Any, int], Any]) -> Ruleset:
    """Return the race with a novice that chooses so, of a position and a seat, when it must act."""

    class Novice(Policy[Any]):
        """A policy with a fault."""

        def choose(self, position: Any, seat: int, rng: Random, signals: Mapping[int, str]) -> Any:
            return choose(position, seat) if seat in position.to_act() else None

    class NoviceRace(Race):
        """The race with this novice."""

        levels: ClassVar[Any] = {**LEVELS, "novice": Level(Novice())}

    return NoviceRace()


@pytest.mark.parametrize(
    ("action", "what"),
    [
        (Dash(), r"level novice chooses for seat [012] the action dash, which isn't legal"),
        (None, r"level novice chooses no action for seat [012], which must act"),
    ],
)
@pytest.mark.parametrize("law", ["AIs choose legal actions", "1 actions read back", "8 games of AIs end"])
def test_a_level_that_chooses_no_legal_action(law: str, action: object, what: str):
    """Whatever law meets it first names the level, and says what to mend in its policy."""
    finding = found(race_of_novice(lambda *_: action), law)

    assert finding is not None
    assert re.fullmatch(what, finding.what)
    assert finding.mend == checks.MEND_AI


def test_levels_that_are_not_there():
    """They are named: arenas, stand-ins and pages ask for each of the eight."""

    class FewLevels(Race):
        """The race with six levels."""

        levels: ClassVar[Any] = {name: level for name, level in LEVELS.items() if name not in ("apprentice", "expert")}

    finding = found(FewLevels(), "AIs choose legal actions")

    assert finding is not None
    assert finding.what.startswith("`levels` lacks apprentice, expert: every ruleset has the levels novice, ")


def test_a_policy_of_law_7_that_chooses_no_legal_action():
    """Law 7 asks policies for themselves: those of levels that search, too."""
    policy, table = race_of_novice(lambda *_: Dash()).levels["novice"].policy, Track(12, [2, 5])

    class Searching(Race):
        """The level searches: its policy chooses no action in games."""

        levels: ClassVar[Any] = {**LEVELS, "adept": Level(policy, ROLLOUTS, Budget(iterations=6))}

    rules = Searching()

    with pytest.raises(AiFault, match="the policy Novice of level adept chooses for seat 0 the action dash, which"):
        law_7_worlds_that_look_alike_act_alike(rules, [table, table.copy()], 0, "a")


def test_no_law_is_tried_after_a_fault_of_an_ai(monkeypatch: pytest.MonkeyPatch):
    """The games of the other laws begin with AIs: they would find the same again and again."""
    monkeypatch.setitem(RULESETS, "race", race_of_novice(lambda *_: None))

    code, said = checked()

    assert code == 1
    assert said.splitlines()[1] == "broken  AIs choose legal actions"
    assert f"The other {len(checks.LAWS) - 2} laws were not tried: mend this first.\n" in said


class Looping(Track):
    """``apply`` doesn't end once somebody has dashed, whatever is raised in it."""

    def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
        while self.dashed:
            with suppress(Exception):
                self.total += 0
        super().apply(seat, action, dealer, events)


def loop(*_: object) -> None:
    """Never return."""
    while True:
        pass


@pytest.mark.parametrize(
    ("faulty", "what"),
    [
        (lambda: race_of(Looping), r"`Looping\.apply` has not .+ line \d+\), position {'ruleset': 'race', 'goal': .+}"),
        (lambda: race_of_novice(loop), r"`\S+Novice\.choose` has not .+ line \d+\), position {'ruleset': 'race', .+}"),
    ],
)
def test_a_method_that_loops_forever(monkeypatch: pytest.MonkeyPatch, faulty: Callable[[], Ruleset], what: str):
    """It is interrupted and named, with the position, and no other law is tried."""
    monkeypatch.setattr(call_limit, "CALL_LIMIT_SECONDS", 0.5)
    monkeypatch.setitem(RULESETS, "race", faulty())

    code, said = checked()

    assert code == 1
    assert re.search(what, said), said
    assert "To mend: end each loop of that method, or make it faster." in said
    assert "laws were not tried" in said


def test_many_calls_are_no_endless_call(monkeypatch: pytest.MonkeyPatch):
    """The limit is for one call, not for the example of a law."""
    monkeypatch.setattr(call_limit, "CALL_LIMIT_SECONDS", 0.2)
    monkeypatch.setattr(checks, "ENDLESS_AFTER_SECONDS", 60.0)
    until = process_time() + 0.8

    class Slow(Track):
        """Each step takes some time."""

        def apply(self, seat: int, action: Action, dealer: Dealer, events: list[Event] | None = None) -> None:
            late = min(until, process_time() + 0.1)
            while process_time() < late:
                pass
            super().apply(seat, action, dealer, events)

    assert found(race_of(Slow), "8 every game ends") is None


def test_in_a_thread_there_is_no_limit():
    """Only the main thread can be interrupted: the laws are tried there all the same."""
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(found, Race(), "lessons can be played").result() is None


def test_one_error_under_several_laws(monkeypatch: pytest.MonkeyPatch):
    """It is printed once, with its place; the other laws refer to it."""
    monkeypatch.setitem(RULESETS, "race", RaisingWorlds())

    code, said = checked()

    assert code == 1
    assert said.count("ZeroDivisionError") == 1
    assert "The same as under 'AIs choose legal actions'." in said


class RaisingWorlds(Race):
    """``worlds`` has a bug."""

    def worlds(self, view: Json) -> Any:
        return SampledWorlds(lambda rng: 1 // 0)


def test_a_ruleset_without_fault(monkeypatch: pytest.MonkeyPatch):
    """It keeps all laws; that it has no Spanish is a warning."""
    monkeypatch.setitem(RULESETS, "race", Race())

    code, said = checked()

    assert code == 0, said
    assert said.count("ok  ") == len(checks.LAWS)
    warning = "warning there is no messages.es.po: sentences will be shown in English; --untranslated es prints one"
    assert f"{warning} to be filled in\nrace keeps all laws.\n" in said


def test_the_smallest_ruleset(monkeypatch: pytest.MonkeyPatch):
    """Loading, worlds and eight levels, in at most eighty lines: it keeps all laws."""
    monkeypatch.setitem(RULESETS, "tictactoe", TicTacToe())

    done = CliRunner().invoke(main, ["check-ruleset", "tictactoe", "--seconds", "2"])

    assert done.exit_code == 0, done.output
    assert "tictactoe keeps all laws." in done.output
    assert len(Path(tictactoe.__file__).read_text("utf-8").splitlines()) <= 80


def test_the_example_of_hidden_hands(monkeypatch: pytest.MonkeyPatch):
    """It keeps all laws; a preview shows a seat the card that it lays face down, and nobody else which it was."""
    monkeypatch.setitem(RULESETS, "sealed", Sealed())

    code, said = checked("sealed", "--seconds", "4")

    assert code == 0, said
    table = Sealed().new(2, {}, SeededDealer("a"))
    card = table.hands[0][0]
    foretold = preview(Sealed(), table.view(0), 0, Lay(card)).events
    assert [event.seen_by(0) for event in foretold] == [{"type": "laid", "seat": 0, "card": card}]
    _, events = step(table, 0, Lay(card), SeededDealer("b"))
    assert [event.seen_by(1) for event in events] == [{"type": "laid", "seat": 0}]


@pytest.mark.parametrize(("fault", "law", "what"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS])
def test_a_planted_fault_is_found(fault: Callable[[], Ruleset], law: str, what: str):
    """By its law, with what breaks it, where, and how to mend it."""
    finding = found(fault(), law)

    assert finding is not None
    assert what in finding.what
    assert re.fullmatch(r"[123] players, seed \d+", finding.where)
    assert finding.mend != ""


def test_a_finding_is_printed(monkeypatch: pytest.MonkeyPatch):
    """In the command, whose exit code is 1; if a game doesn't end, no other law is tried."""
    monkeypatch.setitem(RULESETS, "race", race_of(Endless))

    code, said = checked()

    broken, what, mend, count = said.splitlines()[:1] + said.splitlines()[1:3] + said.splitlines()[-1:]
    assert (code, broken) == (1, "broken  8 every game ends")
    assert what.startswith("        a game isn't over after")
    assert mend == "        To mend: forbid what can be repeated without end."
    assert count == "race breaks 1 of the laws."


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, files: dict[str, str | bytes]) -> Ruleset:
    """Write a game as a package with *files* beside its ``ruleset.py``, and return its ruleset."""
    (folder / name).mkdir()
    for file, text in {"__init__.py": "", "ruleset.py": RACE, **files}.items():
        (folder / name / file).parent.mkdir(exist_ok=True)
        (folder / name / file).write_bytes(text.encode() if isinstance(text, str) else text)
    monkeypatch.syspath_prepend(folder)
    invalidate_caches()
    ruleset: Ruleset = import_module(f"{name}.ruleset").Race()
    return ruleset


def compiled(*sentences: tuple[str, str]) -> bytes:
    """Return a compiled catalogue."""
    catalogue, out = Catalog("es", fuzzy=False), BytesIO()
    for english, spanish in sentences:
        catalogue.add(english, spanish)
    write_mo(out, catalogue)
    return out.getvalue()


SPOKEN = RACE.replace(
    "    def verdict(",
    """    def label(self, action, name=None):
        return Phrase("Go {many} steps", many=getattr(action, "steps", 0))

    def verdict(""",
)


OTHERS = [(sentence, sentence) for sentence in re.findall(r'Phrase\(\s*"([^"]+)"', RACE)]


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({"messages.es.po": "", "messages.es.mo": compiled(*OTHERS)}, "lacks 1 of 11 sentences:\nruleset.py, line"),
        (
            {"messages.es.po": "", "messages.es.mo": compiled(*OTHERS), "web/board.js": 'msg("Far off");\nt("Near")'},
            "web/board.js, line 1: 'Far off'\nweb/board.js, line 2: 'Near'",
        ),
        ({"messages.es.po": ""}, "messages.es.po isn't compiled"),
        (
            {"messages.es.po": "", "messages.es.mo": compiled(*OTHERS, ("Go {many} steps", "Anda {more} pasos"))},
            "has other places",
        ),
        ({"words.py": 'Phrase("{one}", other=1)'}, "words.py, line 1: the places of '{one}' aren't its values"),
        (
            {"words.py": "Phrase(text)"},
            "words.py, line 1: the argument of Phrase is no literal text: write the sentence with {places}, and",
        ),
    ],
)
def test_a_sentence_without_spanish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, files: dict[str, str], what: str
):
    """Where there is a catalogue, every sentence of the folder is in it, compiled, with the same places."""
    name = f"spoken_{abs(hash(request.node.name))}"
    ruleset = package(tmp_path, monkeypatch, name, {"ruleset.py": SPOKEN, **files})

    finding = found(ruleset, "sentences are translated")

    assert finding is not None
    assert what in finding.what


def test_sentences_to_be_filled_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A catalogue that translators fill in: the first time with its header, later only what it lacks."""
    picture = {"web/board.js": r"""t("a \"far\" {place}");t("Dash");t("a \\ b");t("two\nlines")"""}
    monkeypatch.setitem(
        RULESETS, "race", package(tmp_path, monkeypatch, "filled_in", {"ruleset.py": SPOKEN, **picture})
    )
    folder = tmp_path / "filled_in"

    _, said = checked("race", "--untranslated", "es")

    catalogue = read_po(BytesIO(said.encode()), locale="es", abort_invalid=True)
    asked = [str(one.id) for one in catalogue if one.id]
    assert asked[-3:] == ['a "far" {place}', "a \\ b", "two\nlines"]
    assert sorted(asked[:-3]) == sorted({one for one, _ in OTHERS} | {"Go {many} steps"})
    assert "#: web/board.js:1\n#, python-brace-format\nmsgid" in said
    (folder / "messages.es.po").write_text(said, "utf-8")
    assert "messages.es.po isn't compiled" in checked("race", "--untranslated", "es")[1]
    filled = [(one, one) for one in asked if one not in ("Dash", "two\nlines")]
    (folder / "messages.es.mo").write_bytes(compiled(*filled))
    _, rest = checked("race", "--untranslated", "es")
    assert re.findall(r"^msg.*", rest, re.MULTILINE) == [
        'msgid "Dash"',
        'msgstr ""',
        r'msgid "two\nlines"',
        'msgstr ""',
    ]


def test_a_long_list_of_sentences_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Ten are enough to see what is meant."""
    words = "\n".join(f'Phrase("Word {number}")' for number in range(12))
    files: dict[str, str | bytes] = {"messages.es.po": "", "messages.es.mo": compiled(*OTHERS), "words.py": words}
    finding = found(package(tmp_path, monkeypatch, "hardly_spoken", files), "sentences are translated")

    assert finding is not None
    first, *listed, last = finding.what.splitlines()
    assert (first, last) == ("messages.es.mo lacks 12 of 22 sentences:", "and 2 more")
    assert listed == [f"words.py, line {number + 1}: 'Word {number}'" for number in range(10)]


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ({"winner": 0}, "winners [0], drawn False; `verdict` says: winners [1], drawn False"),
        ({"winners": [0, 1]}, "winners [0, 1], drawn False; `verdict` says: winners [1], drawn False"),
        ({"best": 1}, "winners [], drawn True; `verdict` says: winners [1], drawn False"),
        ({"result": "lost"}, "winners [], drawn False; `verdict` says: winners [1], drawn False"),
        ({"result": "won"}, "winners [0, 1], drawn False; `verdict` says: winners [1], drawn False"),
    ],
)
def test_an_outcome_that_does_not_name_the_winners(outcome: Json, said: str):
    """Pages would say that somebody else has won, or nobody."""

    class Ended(Track):
        """A race whose outcome says something else than its verdict."""

        @property
        def outcome(self) -> Json | None:
            return outcome if self.total >= self.goal else None

    class SecondWins(Race):
        """The second seat has won."""

        def verdict(self, outcome: Json, players: int) -> Verdict:
            return Verdict((1,), drawn=False, kind="arrived")

    with pytest.raises(LawBroken, match=re.escape(said)):
        law_of_outcomes(SecondWins(), Ended(12, [2, 5], total=12))


@pytest.mark.parametrize(
    ("files", "what"),
    [
        ({}, "there is no rules.en.md, and the code names rulings: S1"),
        ({"rules.en.md": "S2: rest."}, "rules.en.md lacks S1, which the code names"),
        ({"rules.en.md": "S1, S2", "rules.es.md": "S1"}, "don't name the same rulings: S2"),
    ],
)
def test_a_ruling_that_the_rules_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, files: dict[str, str], what: str
):
    """A refusal names a ruling, which readers find in the rules."""
    name = f"ruled_{abs(hash(request.node.name))}"
    facts = 'from engines.ruleset import Facts\n\nFACTS = Facts(rulings="S")\nRULING = "S1"\n'
    ruleset = package(tmp_path, monkeypatch, name, {"facts.py": facts, **files})

    finding = found(ruleset, "rulings are explained")

    assert finding is not None
    assert what in finding.what


def test_an_exception_is_a_finding_with_its_place():
    """Another author's code can raise anything."""

    class Broken(Race):
        """A race that can't be told."""

        def load(self, position: object) -> Track:
            raise ZeroDivisionError("a seat too few")

    finding = found(Broken(), "2 a dump loads")

    assert finding is not None
    assert finding.what.startswith("ZeroDivisionError: a seat too few (")
    assert "test_check_ruleset.py, line " in finding.what


def test_no_such_ruleset():
    """Exit code 2, and which there are."""
    code, said = checked("chess")

    assert code == 2
    assert "there is no ruleset 'chess': installed are regicide, gridcannon" in said


def test_as_a_pytest_plugin(tmp_path: Path):
    """An author's own tests run the laws, one test for each."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "rulings or translated"]

    done = subprocess.run(
        [*command, "--check-ruleset", "gridcannon"], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    missing = subprocess.run(
        [*command, "--check-ruleset", "chess"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert missing.returncode == 1
    assert "there is no ruleset 'chess'" in missing.stdout


def test_phrases_are_imported():
    """The sentence of the tests above is one that the engines would say."""
    assert str(Phrase("Go {many} steps", many=2)) == "Go 2 steps"
