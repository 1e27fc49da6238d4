// The only module that talks to the gateway. The credentials live in this closure and nowhere else: not in storage, addresses or
// messages. They are gone when the page is reloaded, unless the person asked to stay signed in: then the gateway keeps the
// session in a cookie that scripts cannot read, which is sent with two requests only: to set it, and to begin again.
import { account, announcement, changeSettings, config, network, newer, requests, settings, signInAgain } from "./state.js";
import { plural } from "./format.js";
import { below, checked, prefixOf } from "./paths.js";

/** @type {string|null} */
let authorization = null;
let validUntil = 0;
let lifetime = 0;
let kept = 0;

/** How often the cookie is set anew while somebody is at work; it outlasts that by far. */
const KEEP_MS = 120_000;
let lastActive = Date.now();
let lastId = 0;

addEventListener("pointerdown", () => (lastActive = Date.now()), { passive: true });
addEventListener("keydown", () => (lastActive = Date.now()), { passive: true });

/** A refusal or failure, as the gateway told it. */
export class ApiError extends Error {
  /** @param {any} answer */
  constructor(answer) {
    const told = tellable(answer);
    super(told.message);
    this.status = answer.status;
    this.detail = told.detail;
    this.answer = answer;
    this.retryAfter = Number(answer.headers?.get("Retry-After")) || 0;
    this.id = answer.headers?.get("X-Request-Id") || null;
    this.asked = answer.asked || null;
  }
}

function tellable(/** @type {any} */ answer) {
  const plain = { 401: "You are not signed in, or your session has ended.", 403: "This account may not do that.", 404: "There is nothing at this address.", 413: "This is larger than the gateway accepts (connection-options.MAX_ENTITY_SIZE).", 0: "The gateway cannot be reached." };
  try {
    const body = JSON.parse(answer.text);
    const message = body.message || body.msg || body.detail || body.title;
    const nested = typeof body["exception message"] === "string" ? body["exception message"] : body["exception message"]?.errmsg;
    return { message: message || plain[answer.status] || `The gateway answered ${answer.status}.`, detail: nested || "" };
  } catch {
    return { message: plain[answer.status] || `The gateway answered ${answer.status}.`, detail: "" };
  }
}

const prefix = () => prefixOf(config.value.uri);

/** A path of the data. @param {string[]} segments @throws {TypeError} for names that no path can have */
export const dataPath = segments => below(config.value.api, segments);

/** @param {string} path @param {Record<string, any>|[string, any][]} query */
export function target(path, query = {}) {
  const pairs = (Array.isArray(query) ? query : Object.entries(query)).filter(([, value]) => value !== undefined && value !== null && value !== false);
  return path + (pairs.length ? "?" + pairs.map(([key, value]) => (value === true ? key : `${key}=${readable(String(value))}`)).join("&") : "");
}

// Only what would end a value or is refused: a person reads these lines.
const readable = (/** @type {string} */ text) => encodeURIComponent(text).replace(/%(7B|7D|22|24|3A|2C|5B|5D|28|29|27|2F|40|3D)/g, escape => (escape === "%27" ? "%27" : decodeURIComponent(escape)));

/** The whole address of a target, for lines that are copied. @param {string} path */
export const address = path => location.origin + prefix() + path;

/** @param {string} method @param {string} path with its query
 * @param {{headers?: Record<string, string>, body?: any, signal?: AbortSignal, quiet?: boolean, raw?: boolean, any?: boolean, stream?: boolean, secret?: boolean}} options
 *   quiet: not in the drawer; any: every status is an answer; stream: the body is not read; secret: the body is not kept
 * @returns {Promise<any>} */
export async function request(method, path, options = {}) {
  const safe = method === "GET";
  for (let attempt = 0; ; attempt++) {
    const answer = await once(method, path, options);
    if (answer.status === 401 && account.value && !options.any) {
      await ask(`Your session has ended. Enter your password to go on: nothing on this page is lost.`);
      continue;
    }
    if ((answer.status === 429 || answer.status === 503) && safe && attempt === 0 && !options.any) {
      const seconds = Math.min(30, Number(answer.headers.get("Retry-After")) || 1);
      await busy(seconds, options.signal);
      continue;
    }
    if (answer.status === 0 && safe && !options.any) {
      await back(options.signal);
      continue;
    }
    if (network.value.state !== "ok" && answer.status !== 0) network.value = { state: "ok" };
    if (answer.status >= 400 && !options.any) throw new ApiError({ ...answer, asked: { method, path, body: typeof options.body === "string" && !options.secret ? options.body : undefined } });
    if (answer.status === 0) throw new ApiError(answer);
    return answer;
  }
}

/** @returns {Promise<any>} */
async function once(/** @type {string} */ method, /** @type {string} */ path, /** @type {any} */ options) {
  const headers = { ...options.headers };
  const sent = { ...headers };
  if (authorization) sent.Authorization = authorization;
  sent["No-Auth-Challenge"] = "true";
  const began = performance.now();
  const entry = { id: ++lastId, at: Date.now(), method, path, headers, body: typeof options.body === "string" && !options.secret ? options.body : null, status: 0, ms: 0, size: 0, coalesced: null };
  try {
    const response = await fetch(prefix() + checked(path), { method, headers: sent, body: options.body, signal: options.signal, cache: "no-store", credentials: options.cookie ? "same-origin" : "omit", redirect: "follow" });
    if (options.stream && response.ok) {
      note({ ...entry, status: response.status, ms: performance.now() - began }, options);
      return { status: response.status, headers: response.headers, response, text: "" };
    }
    const text = options.raw ? "" : await response.text();
    const blob = options.raw ? await response.blob() : null;
    const ms = performance.now() - began;
    note({ ...entry, status: response.status, ms, size: blob ? blob.size : text.length, coalesced: response.headers.get("X-Coalesced") }, options);
    return { status: response.status, headers: response.headers, text, blob, ms };
  } catch (failure) {
    if (options.signal?.aborted) throw failure;
    note({ ...entry, ms: performance.now() - began }, options);
    return { status: 0, headers: new Headers(), text: "", blob: null, ms: 0 };
  }
}

function note(/** @type {any} */ entry, /** @type {any} */ options) {
  if (!options.quiet) requests.value = [entry, ...requests.value.slice(0, 199)];
}

/** Waits until the gateway answers again. */
async function back(/** @type {AbortSignal|undefined} */ signal) {
  for (let wait = 1; ; wait = Math.min(30, wait * 2)) {
    network.value = { state: "gone", until: Date.now() + wait * 1000 };
    await pause(wait * 1000, signal);
    try {
      const there = await fetch(prefix() + config.value.uri + "/config.json", { cache: "no-store", signal });
      if (there.ok) {
        const now = await there.json();
        newer.value = now.version !== config.value.version;
        network.value = { state: "ok" };
        return;
      }
    } catch (failure) {
      if (signal?.aborted) throw failure;
    }
  }
}

async function busy(/** @type {number} */ seconds, /** @type {AbortSignal|undefined} */ signal) {
  network.value = { state: "busy", until: Date.now() + seconds * 1000 };
  try {
    await pause(seconds * 1000, signal);
  } finally {
    network.value = { state: "ok" };
  }
}

/** @param {number} ms @param {AbortSignal} [signal] */
export const pause = (ms, signal) =>
  new Promise((done, fail) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), fail(signal.reason)), { once: true });
  });

/** All who wait for the password wait for the same dialog. @type {Promise<void>|null} */
let asking = null;

function ask(/** @type {string} */ reason) {
  asking ??= new Promise(done => {
    signInAgain.value = { reason, done: () => ((asking = null), (signInAgain.value = null), done()) };
  });
  return asking;
}

const basic = (/** @type {string} */ name, /** @type {string} */ password) => "Basic " + btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)));

/** Exchanges the password for a token, where the gateway has tokens. @param {string} name @param {string} password */
export async function signIn(name, password) {
  const before = authorization;
  authorization = basic(name, password);
  const service = config.value.token;
  const answer = await once(service ? "POST" : "GET", service || dataPath([]), { quiet: true });
  if (answer.status === 401 || answer.status === 0 || answer.status === 429 || answer.status >= 500) {
    authorization = before;
    throw new ApiError(answer);
  }
  if (service && answer.status === 200) {
    take(JSON.parse(answer.text));
    if (settings.value.stay) await keep();
  } else account.value = { name, roles: null };
}

/** Whether a session may outlast a reload: the gateway says that its cookie is safe, and browsers take such cookies only from safe origins. */
export const canStay = () => Boolean(config.value.cookie.usable) && isSecureContext;

/** Has the gateway keep the session in its cookie. */
async function keep() {
  if (!canStay()) return;
  kept = Date.now();
  await once("POST", config.value.token + "/cookie", { quiet: true, cookie: true });
}

/** Goes on with the session that the cookie keeps, if there is one. */
export async function resume() {
  if (!settings.value.stay || !canStay()) return;
  const answer = await once("GET", config.value.token, { quiet: true, cookie: true });
  if (answer.status === 200) (take(JSON.parse(answer.text)), (kept = Date.now()));
}

function take(/** @type {any} */ token) {
  authorization = `Bearer ${token.access_token}`;
  lifetime = token.expires_in * 1000;
  validUntil = Date.now() + lifetime;
  account.value = { name: token.username, roles: token.roles || [] };
}

/** Renews while somebody is at work; called now and then. */
export async function renew() {
  if (validUntil && settings.value.stay && Date.now() > kept + KEEP_MS && lastActive > kept) await keep();
  if (!validUntil || Date.now() > validUntil || validUntil - Date.now() > lifetime / 3 || lastActive < Date.now() - lifetime) return;
  const answer = await once("GET", config.value.token + "?renew", { quiet: true });
  if (answer.status !== 200) return;
  take(JSON.parse(answer.text));
  if (settings.value.stay) await keep();
}

export async function signOut() {
  if (validUntil) await once("DELETE", config.value.token, { quiet: true });
  if (settings.value.stay) {
    changeSettings({ stay: false });
    if (canStay()) await once("POST", config.value.cookie.logout, { quiet: true, cookie: true });
  }
  authorization = null;
  validUntil = 0;
  account.value = null;
  requests.value = [];
  sessionStorage.clear();
}

/** Reads what the page begins with: config.json. */
export async function readConfig() {
  const response = await fetch("config.json", { cache: "no-cache" });
  config.value = await response.json();
}

/** A text beside the page. @param {string} path relative to it @param {AbortSignal} signal */
export async function file(path, signal) {
  const response = await fetch(path, { cache: "no-cache", signal, credentials: "omit" });
  const text = await response.text();
  if (!response.ok) throw new ApiError({ status: response.status, headers: response.headers, text });
  return text;
}

/** Tells what has arrived. @param {number} documents @param {number} ms */
export const announce = (documents, ms) => (announcement.value = `${plural(documents, "document")}, ${Math.round(ms)} ms`);

/** The target of the link to the next page, or null. @param {Headers} headers */
export function nextAfter(headers) {
  const link = /<([^>]*)>;\s*rel="?next"?/.exec(headers.get("Link") || "");
  return link ? new URLSearchParams(link[1].slice(link[1].indexOf("?") + 1)).get("after") : null;
}
