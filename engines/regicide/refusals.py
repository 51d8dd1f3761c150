"""Refusals of Regicide: sentence and ruling for each action that ``legal`` doesn't list."""

from collections.abc import Sequence
from typing import Final

from engines.core.cards import ACE, NAMES, rank_of
from engines.core.errors import BadAction, IllegalAction, NotYourTurn
from engines.core.phrase import Phrase, join_or, numbered
from engines.core.strict_reading import check_seat
from engines.regicide.actions import ACTIONS, Choose, Discard, FlipJester, Play
from engines.regicide.state import State
from engines.regicide.tables import FIRST_JESTER, MAX_SET_VALUE, PLAY, SUFFER, VALUE
from engines.ruleset import Action

REQUIRED_STEP_BY_PHASE: Final = (
    Phrase("play cards, yield or (solo) flip a Jester"),
    Phrase("discard cards against the attack or (solo) flip a Jester"),
    Phrase("choose who goes next"),
)
"""By phase: the required action, as a part of a refusal's sentence."""


def check(state: State, seat: int, action: object, possible: Sequence[Action]) -> None:
    """Raise ``BadAction``, ``NotYourTurn`` or ``IllegalAction`` if *action* isn't *possible*."""
    check_seat(seat, state.players)
    if not isinstance(action, ACTIONS):
        raise BadAction(Phrase("{action} is no action of this game.", action=repr(action)))
    if isinstance(action, Choose):
        check_seat(action.seat, state.players)
    if seat != state.turn:
        raise NotYourTurn(Phrase("It is the turn of {who}.", who=numbered(state.turn)))
    if action not in possible:
        raise why_not(state, seat, action)


def why_not(state: State, seat: int, action: Action) -> IllegalAction:
    """Return the refusal of an action that isn't legal for the seat on turn."""
    step = REQUIRED_STEP_BY_PHASE[state.phase]
    if isinstance(action, FlipJester):
        return _why_no_flip(state, step)
    if isinstance(action, Discard):
        return _why_no_discard(state, seat, action, step)
    if isinstance(action, Choose):
        return IllegalAction(Phrase("Who goes next is chosen only after a Jester: now {step}.", step=step), "R10")
    if state.phase != PLAY:
        return IllegalAction(Phrase("Cards are played and turns yielded in step 1 only: now {step}.", step=step), "R2")
    return _why_no_play(state, seat, action) if isinstance(action, Play) else _why_no_yield(state)


def _why_no_flip(state: State, step: Phrase) -> IllegalAction:
    if state.players > 1:
        return IllegalAction(Phrase("Jesters are flipped in solo games only: play yours as a card."), "R17")
    if not state.jesters_left:
        return IllegalAction(Phrase("No Jester is left to flip."), "R17")
    return IllegalAction(
        Phrase("A Jester is flipped at the start of step 1 or of step 4: now {step}.", step=step), "R17"
    )


def _missing(state: State, seat: int, action: Play | Discard, rule: str) -> IllegalAction | None:
    missing = [NAMES[card] for card in action.cards if card not in state.hands[seat]]
    return IllegalAction(Phrase("You don't hold {cards}.", cards=join_or(missing)), rule) if missing else None


def _why_no_play(state: State, seat: int, action: Play) -> IllegalAction:
    missing = _missing(state, seat, action, "R3")
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
        Phrase("A set is worth {most} or less together: this one is worth {total}.", most=MAX_SET_VALUE, total=total),
        "R3",
    )


def _why_no_discard(state: State, seat: int, action: Discard, step: Phrase) -> IllegalAction:
    if state.phase != SUFFER:
        return IllegalAction(Phrase("Cards are discarded only against an attack: now {step}.", step=step), "R2")
    missing = _missing(state, seat, action, "R13")
    if missing is not None:
        return missing
    total = sum([VALUE[card] for card in action.cards])
    if total < state.attack:
        hand = sum([VALUE[card] for card in state.hands[seat]])
        attack = Phrase("The attack is {attack}: these cards are worth {total}.", attack=state.attack, total=total)
        if hand < state.attack:
            attack = Phrase("{attack} Your whole hand doesn't cover it: flip a Jester.", attack=attack)
        return IllegalAction(attack, "R13")
    most = max([VALUE[card] for card in action.cards])
    return IllegalAction(
        Phrase(
            "That is more than you may discard: without the card worth {most} the rest would cover the attack"
            " of {attack}.",
            most=most,
            attack=state.attack,
        ),
        "R13",
    )


def _why_no_yield(state: State) -> IllegalAction:
    if state.players > 1:
        return IllegalAction(Phrase("You may not yield: all others yielded in their last turn."), "R15")
    if state.solo_yield:
        return IllegalAction(Phrase("You may not yield twice in a row."), "R15")
    return IllegalAction(Phrase("A solo player may not yield, unless the option solo_yield is chosen."), "R15")
