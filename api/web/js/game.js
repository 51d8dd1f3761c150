// What the browser module of a game may import; docs/add-a-ruleset.md describes it. These names are promised.
// @ts-check
export { html, signal, useEffect, useRef, useState } from "./vendor.js";
export { Back, Card, Face, Suit } from "./shared/cards.js";
export { language, t } from "./shared/i18n.js";
