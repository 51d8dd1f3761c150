// The page with the rules: its controls for theme and language.
// @ts-check
import { effect, html, render } from "../vendor.js";
import { Choices } from "./theme_and_language.js";
import { addCatalogue, language } from "./i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

const text = /** @type {HTMLElement} */ (document.querySelector("main"));
document.documentElement.lang = text.lang; // the text may lack the requested language
render(html`<${Choices} />`, /** @type {HTMLElement} */ (document.getElementById("choices")));

let read = new URLSearchParams(location.search).get("lang") || text.lang;
effect(() => {
  if (language.value === read) return;
  read = language.value;
  location.replace(`?lang=${read}`);
});
