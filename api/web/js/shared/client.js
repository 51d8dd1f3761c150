// HTTP client: requests with retries, problem documents, streams that reconnect.
// @ts-check

/** @typedef {{method?: string, body?: unknown, headers?: Record<string, string>, signal?: AbortSignal,
 *   keepalive?: boolean}} Options `keepalive`: the browser finishes the request even if the page is left */

/** A problem document (RFC 9457) as an error. `detail` is a sentence for people. */
export class Problem extends Error {
  /**
   * @param {{status: number, code: string, title?: string, detail?: string, version?: number, rule?: string,
   *   errors?: Record<string, string[]>, retry_after?: number}} fields
   */
  constructor(fields) {
    super(fields.detail || fields.title || fields.code);
    this.name = "Problem";
    this.status = fields.status;
    this.code = fields.code;
    this.detail = this.message;
    this.version = fields.version;
    this.rule = fields.rule;
    this.errors = fields.errors;
    this.retryAfter = fields.retry_after;
  }
}

/** No response: the network or the server is unreachable. */
export class Unreachable extends Problem {
  constructor() {
    super({ status: 0, code: "unreachable" });
    this.name = "Unreachable";
  }
}

/** Milliseconds before the first retry, and maximum before any later one. */
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 5000;
/** Codes of refusals of requests that had no effect yet. After them every request may be retried. */
const NOT_BEGUN = ["overloaded", "rate_limited", "request_timeout"];
/** Maximum number of attempts before the error is shown. */
const TRIES = 3;
/** Timeout of a stream in ms. The server sends a keep-alive at least every 10 seconds. */
const STREAM_TIMEOUT_MS = 25000;

/** Return a random key for `Idempotency-Key`. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @param {number} ms @param {AbortSignal} [signal] */
export function sleep(ms, signal) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
}

/** Return whether the same request may succeed later. @param {Problem} problem */
export const isTransient = ({ status, code }) =>
  status === 0 || status === 503 || code === "in_progress" || NOT_BEGUN.includes(code);

/**
 * Retry `work` after growing pauses until it succeeds, `again` is false, `tries` are used up or a pause is too long.
 * @template T
 * @param {() => Promise<T>} work
 * @param {(problem: Problem) => boolean} again
 * @param {number} tries
 * @param {AbortSignal} [signal]
 * @param {boolean} [patient] if true, attempts without a response don't count
 */
async function retryWhileTransient(work, again, tries, signal, patient) {
  for (let wait = FIRST_PAUSE; ; wait = Math.min(2 * wait, LONGEST_PAUSE)) {
    try {
      return await work();
    } catch (error) {
      const problem = /** @type {Problem} */ (error);
      if (!patient || problem.status) tries -= 1;
      const asked = 1000 * (problem.retryAfter || 0);
      if (!tries || !again(problem) || asked > LONGEST_PAUSE) throw error;
      await sleep(Math.max(wait, asked), signal);
    }
  }
}

/**
 * Return the result of `load`, retried after growing pauses until the server is reached. Throws any other `Problem`.
 * @template T
 * @param {() => Promise<T>} load
 * @param {() => void} away called after each attempt that didn't reach the server
 */
export function untilReached(load, away) {
  const attempt = () =>
    load().catch((error) => {
      if (error.status === 0) away();
      throw error;
    });
  return retryWhileTransient(attempt, ({ status }) => status === 0, 1, undefined, true);
}

export class Client {
  /** @param {{token?: string | null, language?: () => string}} [who] */
  constructor({ token = null, language = () => "en" } = {}) {
    this.token = token;
    this.language = language;
    /** Called after each response. */
    this.reached = () => {};
  }

  /** @param {Record<string, string>} headers */
  _headers(headers) {
    /** @type {Record<string, string>} */
    const own = this.token ? { Authorization: `Bearer ${this.token}` } : {};
    return { "Accept-Language": this.language(), ...own, ...headers };
  }

  /**
   * Send a request and return the JSON of the response. Throws `Problem` or `Unreachable`.
   * @param {string} path @param {Options} [options] @returns {Promise<any>}
   */
  async ask(path, options = {}) {
    return (await this.answer(path, options)).body;
  }

  /**
   * Send a request, retrying while the server is busy. Throws `Problem` or `Unreachable`.
   * @param {string} path @param {Options} [options]
   */
  answer(path, options = {}) {
    return retryWhileTransient(
      () => this._once(path, options),
      ({ code }) => NOT_BEGUN.includes(code),
      TRIES,
      options.signal,
    );
  }

  /** @param {string} path @param {Options} options */
  async _once(path, { method = "GET", body, headers = {}, signal, keepalive }) {
    /** @type {Record<string, string>} */
    const sent = body === undefined ? {} : { "Content-Type": "application/json" };
    let answer;
    try {
      answer = await fetch(path, {
        method,
        signal,
        keepalive,
        cache: "no-store", // all readers get the same ETag, so a cache could mix up their views
        headers: this._headers({ Accept: "application/json", ...sent, ...headers }),
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Unreachable();
    }
    this.reached();
    const read = answer.status === 204 || answer.status === 304 ? null : await answer.json().catch(() => null);
    if (answer.status >= 400) throw new Problem({ code: "unknown", ...(read || {}), status: answer.status });
    return { status: answer.status, headers: answer.headers, body: read };
  }

  /** @param {string} path @param {unknown} [body] @param {Options} [options] */
  post(path, body = {}, options = {}) {
    return this.ask(path, { ...options, method: "POST", body });
  }

  /**
   * Send an idempotent POST: retries have the same key, so that the request takes effect once.
   * @param {string} path @param {unknown} body @param {{version?: number, tries?: number, patient?: boolean}} [options]
   *   `patient`: retry for as long as the server is unreachable
   */
  async act(path, body, { version, tries = 6, patient } = {}) {
    /** @type {Record<string, string>} */
    const match = version === undefined ? {} : { "If-Match": `"${version}"` };
    const headers = { "Idempotency-Key": newKey(), ...match };
    const send = async () => (await this._once(path, { method: "POST", body, headers })).body;
    return retryWhileTransient(send, isTransient, tries, undefined, patient);
  }

  /**
   * Wait for a job to end and return its result. Throws the problem of a failed job.
   * @param {any} job
   * @param {{signal?: AbortSignal, progress?: (job: any) => void, wait?: number}} [options]
   *   `progress` is called with the job every `wait` seconds
   */
  async finished(job, { signal, progress, wait = 25 } = {}) {
    while (job.status === "queued" || job.status === "running") {
      job = await this.ask(`/v1/jobs/${job.id}?wait=${wait}`, { signal });
      progress?.(job);
    }
    if (job.problem) throw new Problem(job.problem);
    return job.result;
  }

  /**
   * Follow a game until it ends or `signal` aborts. Each version arrives once and in order, also after reconnects.
   * @param {string} path
   * @param {{after?: number, signal: AbortSignal, message: (message: any) => void,
   *   connection: (state: "live" | "lost") => void, notice?: (text: string | null) => void}} options
   *   `notice` is called with the operator's notice when the notice changes, and with null when it is withdrawn
   */
  async follow(path, { after, signal, message, connection, notice }) {
    let version = after;
    let wait = FIRST_PAUSE;
    while (!signal.aborted) {
      const watch = new AbortController();
      const stop = () => watch.abort();
      signal.addEventListener("abort", stop, { once: true });
      try {
        /** @type {Record<string, string>} */
        const last = version === undefined ? {} : { "Last-Event-ID": String(version) };
        const headers = this._headers({ Accept: "application/x-ndjson", ...last });
        const answer = await fetch(path, { headers, signal: watch.signal, cache: "no-store" });
        if (answer.status >= 400) {
          const read = await answer.json().catch(() => ({}));
          const problem = new Problem({ code: "unknown", ...read, status: answer.status });
          if (answer.status < 500 && !isTransient(problem)) throw problem;
          wait = Math.max(wait, 1000 * (problem.retryAfter || 1));
        } else if (answer.body) {
          connection("live");
          for await (const line of lines(answer.body, () => watch.abort())) {
            wait = FIRST_PAUSE;
            const read = JSON.parse(line);
            if (read.version === undefined) {
              notice?.(read.notice); // a notice has no version
              continue;
            }
            if (version !== undefined && read.version <= version && !read.id) continue;
            version = read.version;
            message(read);
            if (read.status === "finished" || read.status === "abandoned") return;
          }
        }
      } catch (error) {
        if (error instanceof Problem) throw error;
        if (signal.aborted) return;
      } finally {
        signal.removeEventListener("abort", stop);
      }
      connection("lost");
      await sleep(wait, signal);
      wait = Math.min(2 * wait, LONGEST_PAUSE);
    }
  }
}

/**
 * Yield the non-empty lines of a body. Empty lines are keep-alives. Calls `dead` after `STREAM_TIMEOUT_MS`.
 * @param {ReadableStream<Uint8Array>} body @param {() => void} dead
 */
async function* lines(body, dead) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let timer = setTimeout(dead, STREAM_TIMEOUT_MS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) return;
      timer = setTimeout(dead, STREAM_TIMEOUT_MS);
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() || "";
      for (const line of parts) if (line.trim()) yield line;
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => {});
  }
}
