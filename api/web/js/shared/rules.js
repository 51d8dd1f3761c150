// The rules as a page: in the light and the language that the reader has chosen.
// @ts-check
import { effect, html, render } from "../vendor.js";
import { Choices } from "./page.js";
import { language } from "./i18n.js";

const text = /** @type {HTMLElement} */ (document.querySelector("main"));
document.documentElement.lang = text.lang; // the text's, whatever was asked for
render(html`<${Choices} />`, /** @type {HTMLElement} */ (document.getElementById("choices")));

let read = new URLSearchParams(location.search).get("lang") || text.lang;
effect(() => {
  if (language.value === read) return;
  read = language.value;
  location.replace(`?lang=${read}`);
});
