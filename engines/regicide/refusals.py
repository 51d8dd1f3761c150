"""Why an action isn't allowed: the sentence and the ruling. What is allowed, ``legal`` alone says."""

from typing import TYPE_CHECKING, Final

from engines.cards import ACE, NAMES, rank_of
from engines.errors import BadAction, IllegalAction, NotYourTurn
from engines.phrase import Phrase, either
from engines.regicide.actions import Choose, Discard, FlipJester, Play
from engines.regicide.tables import FIRST_JESTER, HIGHEST_SET, PLAY, SUFFER, VALUE
from engines.ruleset import Action

if TYPE_CHECKING:
    from engines.regicide.rules import RegicidePosition

STEPS: Final = (
    Phrase("play cards, yield or (solo) flip a Jester"),
    Phrase("discard cards against the attack or (solo) flip a Jester"),
    Phrase("choose who goes next"),
)
"""What is to be done, by phase."""


def check(position: "RegicidePosition", seat: int, action: Action) -> None:
    """Refuse what isn't legal: ``BadAction`` for a seat that isn't there, ``NotYourTurn``, ``IllegalAction``."""
    seats = [seat, action.seat] if isinstance(action, Choose) else [seat]
    for named in seats:
        if not 0 <= named < position.players:
            raise BadAction(
                Phrase(
                    "There is no seat {named}: the game has seats 0 to {last}.", named=named, last=position.players - 1
                )
            )
    if seat != position.turn:
        raise NotYourTurn(Phrase("It is the turn of seat {turn}, not of seat {seat}.", turn=position.turn, seat=seat))
    if action not in position.legal(seat):
        raise why_not(position, seat, action)


def why_not(position: "RegicidePosition", seat: int, action: Action) -> IllegalAction:
    """Return the refusal of an action that isn't legal, though *seat* is on turn."""
    step = STEPS[position.phase]
    if isinstance(action, FlipJester):
        return _why_no_flip(position, step)
    if isinstance(action, Discard):
        return _why_no_discard(position, seat, action, step)
    if isinstance(action, Choose):
        return IllegalAction(Phrase("Who goes next is chosen only after a Jester: now {step}.", step=step), "R10")
    if position.phase != PLAY:
        return IllegalAction(Phrase("Cards are played and turns yielded in step 1 only: now {step}.", step=step), "R2")
    return _why_no_play(position, seat, action) if isinstance(action, Play) else _why_no_yield(position)


def _why_no_flip(position: "RegicidePosition", step: Phrase) -> IllegalAction:
    if position.players > 1:
        return IllegalAction(Phrase("Jesters are flipped in solo games only: play yours as a card."), "R17")
    if not position.jesters_left:
        return IllegalAction(Phrase("No Jester is left to flip."), "R17")
    return IllegalAction(
        Phrase("A Jester is flipped at the start of step 1 or of step 4: now {step}.", step=step), "R17"
    )


def _missing(position: "RegicidePosition", seat: int, action: Play | Discard, rule: str) -> IllegalAction | None:
    missing = [NAMES[card] for card in action.cards if card not in position.hands[seat]]
    return IllegalAction(Phrase("You don't hold {cards}.", cards=either(missing)), rule) if missing else None


def _why_no_play(position: "RegicidePosition", seat: int, action: Play) -> IllegalAction:
    missing = _missing(position, seat, action, "R3")
    if missing is not None:
        return missing
    if action.cards[-1] >= FIRST_JESTER:
        return IllegalAction(Phrase("A Jester is played alone."), "R3")
    ranks = {rank_of(card) for card in action.cards}
    if ACE in ranks:
        return IllegalAction(Phrase("An Animal Companion goes alone or with one other card."), "R3")
    if len(ranks) > 1:
        return IllegalAction(Phrase("Cards played together have one rank, or one is an Animal Companion."), "R3")
    total = sum([VALUE[card] for card in action.cards])
    return IllegalAction(
        Phrase("A set is worth {most} or less together: this one is worth {total}.", most=HIGHEST_SET, total=total),
        "R3",
    )


def _why_no_discard(position: "RegicidePosition", seat: int, action: Discard, step: Phrase) -> IllegalAction:
    if position.phase != SUFFER:
        return IllegalAction(Phrase("Cards are discarded only against an attack: now {step}.", step=step), "R2")
    missing = _missing(position, seat, action, "R13")
    if missing is not None:
        return missing
    total = sum([VALUE[card] for card in action.cards])
    if total < position.attack:
        hand = sum([VALUE[card] for card in position.hands[seat]])
        attack = Phrase("The attack is {attack}: these cards are worth {total}.", attack=position.attack, total=total)
        if hand < position.attack:
            attack = Phrase("{attack} Your whole hand doesn't cover it: flip a Jester.", attack=attack)
        return IllegalAction(attack, "R13")
    most = max([VALUE[card] for card in action.cards])
    return IllegalAction(
        Phrase(
            "That is more than you may discard: without the card worth {most} the rest would cover the attack"
            " of {attack}.",
            most=most,
            attack=position.attack,
        ),
        "R13",
    )


def _why_no_yield(position: "RegicidePosition") -> IllegalAction:
    if position.players > 1:
        return IllegalAction(Phrase("You may not yield: every other seat's last turn was a yield."), "R15")
    if position.solo_yield:
        return IllegalAction(Phrase("You may not yield twice in a row."), "R15")
    return IllegalAction(Phrase("A solo player may not yield, unless the option solo_yield is chosen."), "R15")
