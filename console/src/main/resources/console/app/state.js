// What more than one part of the page depends on: signals, and nothing else that lasts.
import { signal, computed } from "./dom.js";

/** config.json of the gateway. */
export const config = signal(/** @type {any} */ (null));
/** Who is signed in: {name, roles}, or null. */
export const account = signal(/** @type {any} */ (null));
/** Why the sign-in dialog stands over the page, or null. */
export const signInAgain = signal(/** @type {any} */ (null));
/** Whether the account still has the password everybody knows. */
export const defaultPassword = signal(false);
/** {path: string[], query: Record<string, string>} of the fragment. */
export const route = signal(/** @type {any} */ ({ name: "home", path: [], query: {} }));
/** What the caller may see: {state, error, root}; see tree.js. */
export const resources = signal(/** @type {any} */ ({ state: "none", root: null }));
/** The last requests, newest first. */
export const requests = signal(/** @type {any[]} */ ([]));
/** Short messages: {id, kind, text}. */
export const toasts = signal(/** @type {any[]} */ ([]));
/** {state: "ok" | "gone" | "busy", until?} of the gateway. */
export const network = signal(/** @type {any} */ ({ state: "ok" }));
/** Whether another release of the gateway answers now. */
export const newer = signal(false);
/** What a screen reader is told. */
export const announcement = signal("");
/** A request that "Try" begins with. */
export const tryDraft = signal(/** @type {any} */ (null));
/** A refused request {method, path, body} whose reasons are shown, or null. */
export const why = signal(/** @type {any} */ (null));
/** Which panel is open besides the page: "palette", "keys", "menu", "tree", or null. */
export const panel = signal(/** @type {string|null} */ (null));

const stored = (() => {
  try {
    return JSON.parse(localStorage.getItem("console-settings") || "{}");
  } catch {
    return {};
  }
})();

const defaults = { theme: "system", density: "normal", pageSize: 50, utc: true, letterKeys: true, treeWidth: 260, confirm: true, stay: false };

/** What the person prefers, kept by the browser. */
export const settings = signal({ ...defaults, ...stored });

/** @param {Record<string, any>} change */
export function changeSettings(change) {
  settings.value = { ...settings.value, ...change };
  try {
    localStorage.setItem("console-settings", JSON.stringify(settings.value));
  } catch {
    // a browser that keeps nothing: the setting holds until the page is left
  }
}

export const readOnly = computed(() => Boolean(config.value?.readOnly));

let lastToast = 0;

/** Shows a short message. @param {string} text @param {"info"|"good"|"bad"} kind */
export function toast(text, kind = "info") {
  const id = ++lastToast;
  toasts.value = [...toasts.value.slice(-3), { id, kind, text }];
  announcement.value = text;
  setTimeout(() => (toasts.value = toasts.value.filter(one => one.id !== id)), kind === "bad" ? 9000 : 4000);
}
