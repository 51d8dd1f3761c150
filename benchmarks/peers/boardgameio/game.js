// A two-player card game with the shape and state size of two-player Regicide:
// a castle deck to beat, a tavern deck, two hands, a discard pile, suit powers.
const SUITS = ['clubs', 'diamonds', 'hearts', 'spades'];
const HAND = 7;

const card = (suit, rank) => ({
  id: `${suit[0].toUpperCase()}${rank}`, suit, rank,
  value: rank === 0 ? 0 : rank <= 10 ? rank : (rank - 9) * 5,
});

const deckOf = (ranks) => ranks.flatMap((r) => SUITS.map((s) => card(s, r)));

const nextEnemy = (G) => {
  const c = G.castle.pop();
  return c && { card: c, health: c.value * 2, attack: c.value, shield: 0, damage: 0 };
};

const setup = ({ random }, { limit = 60 } = {}) => {
  const tavern = random.Shuffle(deckOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  const G = {
    castle: [13, 12, 11].flatMap((r) => random.Shuffle(deckOf([r]))),
    tavern, discard: [], table: [], moves: 0, limit, defeated: 0,
    hands: { 0: tavern.splice(0, HAND), 1: tavern.splice(0, HAND) },
    enemy: null,
  };
  G.enemy = nextEnemy(G);
  return G;
};

const refill = (G, random, player, n) => {
  for (; n > 0 && G.hands[player].length < HAND; n--) {
    if (!G.tavern.length) G.tavern = random.Shuffle(G.discard.splice(0));
    if (!G.tavern.length) return;
    G.hands[player].push(G.tavern.pop());
  }
};

const play = {
  client: false,
  move: ({ G, ctx, playerID, random }, id) => {
    const hand = G.hands[playerID];
    const at = hand.findIndex((c) => c.id === id);
    if (at < 0) return 'INVALID_MOVE';
    const [c] = hand.splice(at, 1);
    const enemy = G.enemy;
    const other = playerID === '0' ? '1' : '0';
    const immune = enemy.card.suit === c.suit;
    G.moves += 1;
    G.table.push(c);
    if (!immune && c.suit === 'hearts') G.tavern.unshift(...random.Shuffle(G.discard.splice(0, c.value)));
    if (!immune && c.suit === 'diamonds') { refill(G, random, playerID, c.value); refill(G, random, other, 1); }
    if (!immune && c.suit === 'spades') enemy.shield += c.value;
    enemy.damage += c.value * (!immune && c.suit === 'clubs' ? 2 : 1);
    if (enemy.damage >= enemy.health) {                 // defeated: clear the table, turn the next one
      G.discard.push(...G.table.splice(0), enemy.card);
      G.defeated += 1;
      if (!G.castle.length) G.castle = random.Shuffle(G.discard.filter((x) => x.value >= 10 && x.rank > 10)),
        G.discard = G.discard.filter((x) => x.rank <= 10);
      G.enemy = nextEnemy(G);
    } else if (enemy.attack > enemy.shield && hand.length > 1) {   // suffer: give up the cheapest card
      const low = hand.reduce((m, x, i) => (x.value < hand[m].value ? i : m), 0);
      G.discard.push(...hand.splice(low, 1));
    }
    refill(G, random, playerID, 2);
  },
};

// A player's view: castle, tavern and the other hand are replaced by their sizes.
const playerView = ({ G, playerID }) => ({
  ...G,
  castle: G.castle.length,
  tavern: G.tavern.length,
  hands: Object.fromEntries(Object.entries(G.hands).map(([p, h]) => [p, p === playerID ? h : h.length])),
});

export const game = {
  name: 'royals',
  minPlayers: 2, maxPlayers: 2,
  disableUndo: true,
  setup, playerView,
  moves: { play },
  turn: { minMoves: 1, maxMoves: 1 },
  endIf: ({ G }) => (G.limit && G.moves >= G.limit ? { defeated: G.defeated } : undefined),
};
