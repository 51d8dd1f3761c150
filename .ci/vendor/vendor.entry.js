import { h, render, Fragment } from "preact";
import { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback } from "preact/hooks";
import { signal, computed, effect, batch } from "@preact/signals";
import htm from "htm";

// By `this[0] = 3` a template keeps none of its elements. Kept ones would hold the nodes, and what lies around them, that
// each template drew last, after they have gone from the page.
const html = htm.bind(function (type, props, ...children) {
  this[0] = 3;
  return h(type, props, ...children);
});

export { h, render, html, Fragment, useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback };
export { signal, computed, effect, batch };
