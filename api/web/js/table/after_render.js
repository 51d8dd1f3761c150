// Work that follows a rendering in a task of its own, so that neither is long on a slow processor.
// @ts-check

let waiting = /** @type {(() => void) | null} */ (null);

function doNow() {
  const work = waiting;
  waiting = null;
  work?.();
}

const { port1, port2 } = new MessageChannel();
port1.onmessage = doNow;
addEventListener("keydown", doNow, true);

/** Do something in the next task, or before the next key. It replaces what still waits. @param {() => void} work */
export function doAfterRender(work) {
  waiting = work;
  port2.postMessage(null);
}
