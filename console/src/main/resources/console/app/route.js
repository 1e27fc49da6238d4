// Places in the fragment: "#/c/books?filter={…}" names a collection, its view and its query.
import { route } from "./state.js";

const DECODE = (/** @type {string} */ text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** @param {string} hash */
export function parse(hash) {
  const [place, ...rest] = hash.replace(/^#\/?/, "").split("?");
  const [name, ...path] = place.split("/").filter(Boolean).map(DECODE);
  /** @type {Record<string, string>} */
  const query = {};
  for (const [key, value] of new URLSearchParams(rest.join("?"))) query[key] = value;
  return { name: name || "home", path, query };
}

/** @param {string} name @param {string[]} path @param {Record<string, any>} query what is empty is left out */
export function href(name, path = [], query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const tail = pairs.map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%20/g, "+")}`).join("&");
  return `#/${[name, ...path.map(encodeURIComponent)].join("/")}${tail ? "?" + tail : ""}`;
}

/** Asks before a page with changes is left; pages set it. @type {{ask: null | (() => boolean)}} */
export const leaving = { ask: null };

/** @param {string} hash @param {boolean} replace whether it takes the place of the present one in the history */
export function go(hash, replace = false) {
  if (location.hash === hash) return;
  if (replace) {
    history.replaceState(null, "", hash);
    route.value = parse(hash);
  } else {
    location.hash = hash;
  }
}

let current = location.hash;

/** Follows the fragment. */
export function follow() {
  route.value = parse(location.hash);
  addEventListener("hashchange", () => {
    if (leaving.ask && location.hash !== current && !leaving.ask()) {
      history.pushState(null, "", current || "#/");
      return;
    }
    leaving.ask = null;
    current = location.hash;
    route.value = parse(location.hash);
  });
  addEventListener("beforeunload", event => {
    if (leaving.ask) event.preventDefault();
  });
}

/** The same place with other parameters. @param {Record<string, any>} change */
export const withQuery = change => href(route.value.name, route.value.path, { ...route.value.query, ...change });
