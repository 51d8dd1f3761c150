// What a game's own modules may import (docs/add-a-ruleset.md).
// @ts-check
export { Back, Card, Face, Suit, written } from "./shared/cards.js";
export { cardName, language, msg, suitName, t } from "./shared/i18n.js";
export { html, signal, useEffect, useRef, useState } from "./vendor.js";
