// Describes this site and lists the licences of everything that it shows.
// @ts-check
import { html, render } from "../vendor.js";
import { Choices } from "../shared/theme_and_language.js";
import { addCatalogue, msg, t } from "../shared/i18n.js";

await addCatalogue(new URL(".", import.meta.url).href);

const LICENCES = "/static/licences/";
/** Rows of the list of licences: what the site uses, who made it, and its licence. */
const PARTS = [
  { what: msg("Titles: the typeface Grenze"), who: "Omnibus-Type", name: "SIL OFL 1.1", text: "OFL-Grenze.txt" },
  { what: msg("Text: the typeface Cabin"), who: "Impallari Type", name: "SIL OFL 1.1", text: "OFL-Cabin.txt" },
  {
    what: msg("Icons and the animals of the aces"),
    who: "game-icons.net",
    name: "CC BY 3.0",
    text: "CC-BY-3.0-game-icons.txt",
  },
  { what: msg("Kings, Queens, Jacks and suits: drawn for this project"), who: "", name: "MIT", text: "MIT.txt" },
  { what: msg("Preact, its signals, htm and the QR code"), who: "", name: "MIT, Apache 2.0", text: "vendor.txt" },
];

const ABOUT = msg(
  "Two card games in the browser, against AIs or with friends. Nothing is loaded from another site, nobody is " +
    "counted, and your games and results stay in this browser.",
);

function About() {
  document.title = t("About");
  return html`<div class="page">
    <header class="top"><p class="brand"><a href="/">${t("All games")}</a></p>
      <nav aria-label=${t("Language")}><${Choices} /></nav></header>
    <main class="lobby learn"><h1>${t("About")}</h1>
      <p>${t(ABOUT)}</p>
      <section class="box" aria-labelledby="licences"><h2 id="licences">${t("Licences")}</h2>
        <ul>${PARTS.map(
          ({ what, who, name, text }) => html`<li key=${what}><span>${t(what)}<small>${who}</small></span>
            <a class="button" href=${LICENCES + text} aria-label=${`${name}: ${t(what)}`}>${name}</a></li>`,
        )}</ul></section>
      <p><a href="/docs">${t("Documentation")}</a> ·
        <a href="/docs/contract">${t("For programs: the API")}</a></p></main></div>`;
}

render(html`<${About} />`, /** @type {HTMLElement} */ (document.getElementById("page")));
