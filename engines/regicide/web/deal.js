// Repeats Regicide's deal (R1, R23) to check a record; docs/fairness.md has the algorithm.
// @ts-check

/** @type {import("/static/js/review/shuffle_check.js").Deal} */
export async function deal(dealer, { players, options }) {
  if (options.first_seat === "random") await dealer.below(players);
  const suits = ["C", "D", "H", "S"];
  const [enemy] = await dealer.shuffled(suits.map((suit) => `J${suit}`));
  for (const rank of ["Q", "K"]) await dealer.shuffled(suits.map((suit) => rank + suit));
  const numbers = [..."A23456789T"].flatMap((rank) => suits.map((suit) => rank + suit));
  const tavern = await dealer.shuffled([...numbers, ...["X1", "X2"].slice(0, Math.max(players - 2, 0))]);
  const limit = [0, 8, 7, 6, 5][players];
  const hands = Array.from({ length: players }, (_, seat) =>
    Array.from({ length: limit }, (__, turn) => tavern[turn * players + seat]).sort(),
  );
  return (view, seat) => view.enemy === enemy && [...view.hands[seat]].sort().join() === hands[seat].join();
}
