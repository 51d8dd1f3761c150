// What every page has: theme and language, as the reader chose them.
// @ts-check
import { html, signal } from "../vendor.js";
import { saveSetting, setting } from "./saved.js";
import { LANGUAGES, language, setLanguage, t } from "./i18n.js";

const THEMES = ["auto", "light", "dark"];
export const theme = signal(setting("theme", "auto"));
export const fourColours = signal(setting("fourColours", false));

function applyTheme() {
  const root = document.documentElement;
  root.dataset.theme = theme.value;
  root.dataset.colours = fourColours.value ? "four" : "two";
}
applyTheme();

export function nextTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = theme.value === "auto" ? (dark ? "dark" : "light") : theme.value;
  theme.value = THEMES[now === "dark" ? 1 : 2];
  saveSetting("theme", theme.value);
  applyTheme();
}

export function toggleColours() {
  fourColours.value = !fourColours.value;
  saveSetting("fourColours", fourColours.value);
  applyTheme();
}

/** Where the rules of a game are, in the reader's language. @param {string} ruleset */
export const rulesLink = (ruleset) => `/v1/rulesets/${ruleset}/rules?lang=${language.value}`;

/** Language and theme, for the head of a page. */
export function Choices() {
  const other = language.value === "es" ? "en" : "es";
  return html`<button type="button" class="plain" lang=${other} onClick=${() => setLanguage(other)}>
    ${LANGUAGES[other]}</button>
    <button type="button" class="plain icon" aria-label=${t("Theme")} title=${t("Theme")} onClick=${nextTheme}>
      ◐</button>`;
}
