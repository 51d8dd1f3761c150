// What the browser module of a game from outside may import; docs/add-a-ruleset.md describes it.
// @ts-check
export { Back, Card, Face, Suit } from "./shared/cards.js";
export { language, t } from "./shared/i18n.js";
export { html, signal, useEffect, useRef, useState } from "./vendor.js";
