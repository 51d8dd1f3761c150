import { h, render, Fragment } from "preact";
import { useState, useEffect, useRef, useMemo, useCallback } from "preact/hooks";
import { signal, computed, effect, batch } from "@preact/signals";
import htm from "htm";

const html = htm.bind(h);

export { h, render, html, Fragment, useState, useEffect, useRef, useMemo, useCallback, signal, computed, effect, batch };
