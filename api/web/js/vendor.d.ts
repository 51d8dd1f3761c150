// The exports of the bundle that our modules use.
export interface Signal<T> {
  value: T;
  peek(): T;
}
export interface ReadonlySignal<T> {
  readonly value: T;
  peek(): T;
}
export function signal<T>(value: T): Signal<T>;
export function computed<T>(compute: () => T): ReadonlySignal<T>;
export function effect(run: () => void | (() => void)): () => void;
export function batch<T>(run: () => T): T;
export function h(type: any, props: any, ...children: any[]): any;
export function render(node: any, into: Element): void;
export function html(strings: TemplateStringsArray, ...values: any[]): any;
export const Fragment: any;
export function useState<T>(first: T | (() => T)): [T, (next: T | ((now: T) => T)) => void];
export function useEffect(run: () => void | (() => void), on?: readonly unknown[]): void;
export function useLayoutEffect(run: () => void | (() => void), on?: readonly unknown[]): void;
export function useRef<T>(first: T): { current: T };
export function useMemo<T>(compute: () => T, on: readonly unknown[]): T;
export function useCallback<T>(call: T, on: readonly unknown[]): T;
