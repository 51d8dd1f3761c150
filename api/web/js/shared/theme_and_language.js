// Theme and language: the controls in the header of every page.
// @ts-check
import { html } from "../vendor.js";
import { applyTheme, fourColours, saveSetting, theme } from "./saved.js";
import { LANGUAGES, language, setLanguage, t } from "./i18n.js";

const THEMES = ["auto", "light", "dark"];

function nextTheme() {
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

/** Return the path of a game's rules in the reader's language. @param {string} ruleset */
export const rulesLink = (ruleset) => `/v1/rulesets/${ruleset}/rules?lang=${language.value}`;

/** Buttons for language and theme in the header of a page. */
export function Choices() {
  const other = language.value === "es" ? "en" : "es";
  return html`<button type="button" class="plain" lang=${other} onClick=${() => setLanguage(other)}>
    ${LANGUAGES[other]}</button>
    <button type="button" class="plain icon" aria-label=${t("Theme")} title=${t("Theme")} onClick=${nextTheme}>
      ◐</button>`;
}
