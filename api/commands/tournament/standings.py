"""The standings of a tournament: each player's results, and the report for the terminal."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Final

from api.commands.tournament.plan import Plan
from engines.analysis.ratings import Rating, elo_ratings
from engines.core.confidence import wilson
from engines.core.types import Json

DRAW: Final = 0.5
"""Points of a drawn game."""

CHART_WIDTH: Final = 40
"""Number of columns of the chart of the ratings."""


def standings(plan: Plan, games: Sequence[Json]) -> list[Json]:
    """Return a line (JSON object) for each player, in the order of the command's options.

    In a cooperative ruleset ``rating`` is the win rate, with Wilson's bounds; several games of a player with the same
    deal count as fewer (``_independent_games``). Otherwise it is in Elo points (ratings.py), and null where it isn't
    finite.
    """
    rated = _win_rates(plan, games) if plan.ruleset.cooperative else _elo(plan, games)
    lines = list[Json]()
    for name in plan.players:
        own = [game for game in games if name in game["seats"]]
        wins, draws = sum(name in game["winners"] for game in own), sum(game["drawn"] for game in own)
        rating = rated[name]
        lines.append(
            {
                "name": name,
                "rating": None if rating is None else round(rating.rating, 4),
                "low": None if rating is None else round(rating.low, 4),
                "high": None if rating is None else round(rating.high, 4),
                "games": len(own),
                "wins": wins,
                "draws": draws,
                "losses": len(own) - wins - draws,
                "forfeits": sum(game["by"] == name for game in own),
            }
        )
    return lines


def teams(plan: Plan, games: Sequence[Json]) -> list[Json]:
    """Return a line (JSON object) for each composition of a team, with its number of wins and its win rate."""
    counted = defaultdict[tuple[str, ...], list[Json]](list)
    for game in games:
        counted[tuple(sorted(game["seats"], key=list(plan.players).index))].append(game)
    lines = list[Json]()
    for group in plan.groups:
        played, wins = len(counted[group]), sum(bool(game["winners"]) for game in counted[group])
        low, high = wilson(wins, played)
        rate = round(wins / max(1, played), 4)
        lines.append(
            {
                "seats": list(group),
                "games": played,
                "wins": wins,
                "rate": rate,
                "low": round(low, 4),
                "high": round(high, 4),
            }
        )
    return lines


def _win_rates(plan: Plan, games: Sequence[Json]) -> dict[str, Rating | None]:
    rates = dict[str, Rating | None]()
    for name in plan.players:
        own = [game for game in games if name in game["seats"]]
        wins = sum(name in game["winners"] for game in own)
        independent = _independent_games(plan, own, name)
        rate = wins / max(1, len(own))
        rates[name] = Rating(rate, *wilson(rate * independent, independent)) if own else None
    return rates


def _independent_games(plan: Plan, own: Sequence[Json], name: str) -> float:
    """Return how many independent games tell as much as a player's games *own*, of which several have the same deal.

    It is at least the number of deals, and at most that of the games.
    """
    won_by_deal = defaultdict[int, list[bool]](list)
    for game in own:
        won_by_deal[plan.pairing(game["number"]).deal].append(name in game["winners"])
    rate = sum(map(sum, won_by_deal.values())) / max(1, len(own))
    squares = sum(sum(won - rate for won in deal) ** 2 for deal in won_by_deal.values())
    variance = len(own) ** 2 * rate * (1 - rate)
    independent = variance / squares if squares else variance
    return min(float(len(own)), max(float(len(won_by_deal)), independent))


def _elo(plan: Plan, games: Sequence[Json]) -> dict[str, Rating | None]:
    beaten, drawn = won_against(games), drawn_against(games)
    wins = [[beaten[one, other] for other in plan.players] for one in plan.players]
    draws = [[drawn[one, other] for other in plan.players] for one in plan.players]
    return dict(zip(plan.players, elo_ratings(wins, draws), strict=True))


def drawn_against(games: Iterable[Json]) -> Mapping[tuple[str, str], int]:
    """Return the number of games that each player has drawn with each other player, or won together with them."""
    return Counter(
        pair for game in games for pair in permutations(set(game["seats"]), 2) if _points(game, *pair) == DRAW
    )


def won_against(games: Iterable[Json]) -> Mapping[tuple[str, str], float]:
    """Return each player's points against each other player.

    A win counts 1 against a loser. A draw counts 0.5, and so does a victory that both share.
    """
    beaten = defaultdict[tuple[str, str], float](float)
    for game in games:
        for pair in permutations(set(game["seats"]), 2):
            beaten[pair] += _points(game, *pair)
    return beaten


def _points(game: Json, one: str, other: str) -> float:
    """Return the points of player *one* against player *other*. Both have 0 if both have lost to a third player."""
    if game["drawn"] or {one, other} <= {*game["winners"]}:
        return DRAW
    return float(one in game["winners"])


def report(plan: Plan, games: Sequence[Json]) -> str:
    """Return the table of the players, a cross table or the teams, and a chart of the ratings."""
    lines = sorted(standings(plan, games), key=lambda line: -(line["rating"] if line["rating"] is not None else -1e9))
    width = max(len("player"), *[len(line["name"]) for line in lines])
    parts = [
        _table(plan, lines, width),
        "",
        *(_teams(plan, games) if plan.ruleset.cooperative else _cross(lines, games, width)),
    ]
    return "\n".join([*parts, "", *_chart(lines, width), *_unrated_sentence(lines)])


def _unrated_sentence(lines: Sequence[Json]) -> list[str]:
    """Return a sentence on the players without a rating, if there are any."""
    names = [line["name"] for line in lines if line["rating"] is None and line["games"]]
    if not names:
        return []
    if len(names) == len(lines):
        return [f"No finite rating: {', '.join(names)}: of any two of them one has won all games."]
    return [f"No finite rating: {', '.join(names)}: all games against the players with a rating won, or all lost."]


def _rating_text(plan: Plan, value: float | None) -> str:
    """Return a rating as text: Elo points, or per cent."""
    if value is None:
        return "-"
    return f"{100 * value:.1f} %" if plan.ruleset.cooperative else f"{value:+.0f}"


def _table(plan: Plan, lines: Sequence[Json], width: int) -> str:
    title = "rate" if plan.ruleset.cooperative else "Elo"
    head = (
        f"{'player':{width}}  {title:>7}  {'95 % interval':>18}  {'games':>5}  {'wins':>5}  {'draws':>5}  "
        f"{'losses':>6}  forfeits"
    )
    rows = [head]
    for line in lines:
        low, high = _rating_text(plan, line["low"]), _rating_text(plan, line["high"])
        interval = f"{low} to {high}" if line["rating"] is not None else "-"
        rows.append(
            f"{line['name']:{width}}  {_rating_text(plan, line['rating']):>7}  {interval:>18}  {line['games']:5}  "
            f"{line['wins']:5}  {line['draws']:5}  {line['losses']:6}  {line['forfeits']:8}"
        )
    return "\n".join(rows)


def _cross(lines: Sequence[Json], games: Sequence[Json], width: int) -> list[str]:
    """Return the cross table: the points of each row's player against each column's player."""
    names, beaten = [line["name"] for line in lines], won_against(games)
    columns = [max(len(name), 6) for name in names]
    heads = "  ".join([f"{name:>{column}}" for name, column in zip(names, columns, strict=True)])
    rows = [f"{'':{width}}  {heads}"]
    for one in names:
        points = [f"{beaten[one, other]:g}" if other != one else "." for other in names]
        cells = [f"{point:>{column}}" for point, column in zip(points, columns, strict=True)]
        rows.append(f"{one:{width}}  {'  '.join(cells)}")
    return rows


def _teams(plan: Plan, games: Sequence[Json]) -> list[str]:
    return [
        f"{' + '.join(team['seats'])}: {team['wins']} of {team['games']} won, {100 * team['rate']:.1f} % "
        f"({100 * team['low']:.1f} to {100 * team['high']:.1f})"
        for team in teams(plan, games)
    ]


def _chart(lines: Sequence[Json], width: int) -> list[str]:
    """Return a chart with all ratings on one scale: each is an ``o`` within its interval."""
    rated = [line for line in lines if line["rating"] is not None]
    if not rated:
        return []
    left, right = min(line["low"] for line in rated), max(line["high"] for line in rated)
    scale = (CHART_WIDTH - 1) / ((right - left) or 1)
    rows = list[str]()
    for line in rated:
        low, middle, high = (round((line[field] - left) * scale) for field in ("low", "rating", "high"))
        bar = ["-" if low <= column <= high else " " for column in range(CHART_WIDTH)]
        bar[middle] = "o"
        rows.append(f"{line['name']:{width}}  |{''.join(bar)}|")
    return rows
