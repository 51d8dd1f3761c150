// Which cards are chosen for an action.
// @ts-check

/** @param {any} action @returns {string[]} */
export function tokens(action) {
  return action.cards ?? [];
}

/** @param {any} action @param {string[]} choice */
export function reachable(action, choice) {
  const all = tokens(action);
  return choice.every((token) => all.includes(token));
}

/** @param {any} action @param {string[]} choice */
export function settled(action, choice) {
  return tokens(action).length === choice.length && reachable(action, choice);
}
