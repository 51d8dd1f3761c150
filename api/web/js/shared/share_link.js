// A link to send: as text, with a button to copy it, and a button to share it if the system can.
// @ts-check
import { html, useState } from "../vendor.js";
import { t } from "./i18n.js";

/** @param {{link: string, title: string}} props `title` names the field */
export function Link({ link, title }) {
  const [copied, setCopied] = useState("");
  const copy = () => navigator.clipboard.writeText(link).then(() => setCopied(link)); // clipboard needs https
  const share = () => navigator.share({ title: document.title, url: link }).catch(() => {}); // the reader cancelled
  return html`<div class="row linkrow">
    <input readonly aria-label=${title} value=${link}
      onFocus=${(/** @type {any} */ event) => event.currentTarget.select()} />
    ${
      "clipboard" in navigator
        ? html`<button type="button" onClick=${copy}>
      ${copied === link ? t("Copied") : t("Copy")}</button>`
        : null
    }
    ${"share" in navigator ? html`<button type="button" onClick=${share}>${t("Share…")}</button>` : null}</div>`;
}
