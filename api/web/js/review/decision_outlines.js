// Outlines on the board for a reviewed decision: the cards played, and those of the better action.
// @ts-check

/** @typedef {{text: string, best: string}} Compared the texts of both actions, as "play AH 8C" */

/** Return the cards and squares on the table that an action names. @param {string} text */
function named(text) {
  const table = document.querySelector(".stage");
  return text
    .split(" ")
    .slice(1)
    .map((token) => table?.querySelector(`[data-token="${token}"], .hand [data-card="${token}"]`));
}

/** Outline both actions of a decision; null for none. @param {Compared | null} decision */
export function outline(decision) {
  const [better, played] = decision ? [named(decision.best), named(decision.text)] : [[], []];
  for (const node of document.querySelectorAll(".stage :is([data-token], .hand [data-card])")) {
    node.toggleAttribute("data-better", better.includes(node));
    node.toggleAttribute("data-played", played.includes(node));
  }
}
