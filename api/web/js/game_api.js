// Exports for the browser modules of games from outside this repository; docs/add-a-ruleset.md describes them.
// @ts-check
export { Back, Card, Face, Suit } from "./shared/cards.js";
export { language, t } from "./shared/i18n.js";
export { html, signal, useEffect, useRef, useState } from "./vendor.js";
