// Dialog over the table: shortcuts and legend, the seat on another device, leaving. Loaded when it is first opened.
// @ts-check
import { html, useEffect, useRef } from "../../vendor.js";
import { addCatalogue, t } from "../../shared/i18n.js";
import { DIALOGS, dialog } from "../state.js";
import { HelpKeys } from "./keys_help.js";

await addCatalogue(new URL(".", import.meta.url).href);

/** @param {{links: typeof import("./invite.js") | null}} props `links`: the module of invitations, once it is loaded */
export function Dialog({ links }) {
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => {
    box.current.showModal();
  }, []);
  return html`<dialog ref=${box} aria-label=${t(DIALOGS[dialog.value ?? "keys"])}
    onClose=${() => (dialog.value = null)}>
    ${
      dialog.value === "keys"
        ? html`<${HelpKeys} />`
        : links &&
          (
            dialog.value === "leave"
              ? html`<${links.LeavePanel} done=${() => (dialog.value = null)} />`
              : html`<${links.DevicePanel} />`
          )
    }
    <form method="dialog"><button>${t("Close")}</button></form></dialog>`;
}
