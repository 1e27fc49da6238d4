// Filter, projection and sort, which complete by the fields there are, related documents and collation: a line for each.
import { html, useEffect, useRef, useState } from "./dom.js";
import { Button, Menu } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { Conditions } from "./conditions.js";
import { completer } from "./complete.js";
import { pageKeys } from "./keys.js";
import { visible } from "./format.js";

const HISTORY = 50;
const keyOf = (/** @type {string[]} */ path) => "queries:" + path.join("/");

/** @param {string[]} path @returns {any[]} */
export function past(path) {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(path)) || "[]");
  } catch {
    return [];
  }
}

/** What a query consists of. */
const PARTS = ["filter", "keys", "sort", "embed", "collation"];

/** @param {any} query @returns {Record<string, string>} without what is empty */
export const asked = query => Object.fromEntries(PARTS.filter(name => query[name]).map(name => [name, query[name]]));

function remember(/** @type {string[]} */ path, /** @type {Record<string, string>} */ query) {
  if (!Object.values(query).some(Boolean)) return;
  const line = JSON.stringify(query);
  sessionStorage.setItem(keyOf(path), JSON.stringify([query, ...past(path).filter(one => JSON.stringify(one) !== line)].slice(0, HISTORY)));
}

/** Names of relationships are no shell text. @param {[string, string]} part */
const mistake = ([name, text]) => (name === "embed" && !text.trim().startsWith("{") ? null : problem(text));

export function QueryBar({ path, query, fields, busy, refusal, onRun, onChange }) {
  const isMore = PARTS.some(name => name !== "filter" && query[name]);
  const [parts, setParts] = useState(asked(query));
  const [conditions, setConditions] = useState(false);
  const [more, setMore] = useState(isMore);
  const bar = useRef(/** @type {any} */ (null));
  const set = (/** @type {string} */ name) => (/** @type {string} */ text) => setParts(now => ({ ...now, [name]: text }));
  useEffect(() => {
    setParts(asked(query));
    if (isMore) setMore(true);
  }, PARTS.map(name => query[name]));
  useEffect(() => {
    pageKeys["/"] = () => bar.current?.querySelector(".editor")?.editor?.focus();
    return () => delete pageKeys["/"];
  }, []);
  const filter = parts.filter || "";
  const wrong = Object.entries(parts).map(mistake).find(Boolean);
  const run = () => {
    if (wrong) return;
    const next = Object.fromEntries(PARTS.map(name => [name, (parts[name] || "").trim()]));
    remember(path, next);
    if (PARTS.every(name => next[name] === (query[name] || ""))) onRun();
    else onChange(next);
  };
  const row = (/** @type {string} */ text, /** @type {string} */ name, /** @type {string} */ label, /** @type {string} */ hint, /** @type {any} */ how) => html`
    <div class="query-row"><span class="label" aria-hidden="true">${text}</span><${Editor} line value=${parts[name] || ""} onChange=${set(name)} onRun=${run} label=${label} hint=${hint} ...${how} /></div>`;
  const used = past(path);
  const marks = [...unknownFields(filter, fields()), ...(filter === (query.filter || "") ? refused(filter, refusal) : [])];
  return html`
    <section class="query" ref=${bar} aria-label="Query">
      <div class="query-row">
        <span class="label" aria-hidden="true">Filter</span>
        <${Editor} line value=${filter} onChange=${set("filter")} onRun=${run} label="Filter" hint="{ field: value }" complete=${completer(fields, "filter")} marks=${marks} />
        <${Button} kind="plain" icon="filter" onClick=${() => setConditions(!conditions)} aria-expanded=${String(conditions)}>Conditions</${Button}>
        <${Button} kind="plain" onClick=${() => setMore(!more)} aria-expanded=${String(more)}>Sort, fields, more</${Button}>
        ${used.length > 0 && html`<${Menu} icon="down" kind="plain" label="Earlier queries" text="History" items=${used.map(one => ({ text: visible([one.filter, one.sort && `sort ${one.sort}`, one.keys && `show ${one.keys}`, one.embed && `with ${one.embed}`, one.collation && `collation ${one.collation}`].filter(Boolean).join(" · ")), onClick: () => onChange(one) }))} />`}
        <${Button} kind="primary" icon="play" disabled=${Boolean(wrong)} busy=${busy} onClick=${run}>Run</${Button}>
      </div>
      ${conditions && html`<${Conditions} filter=${filter} fields=${fields()} onChange=${set("filter")} onRun=${run} />`}
      ${more && [
        row("Fields", "keys", "Projection", "{ field: 1 }", { complete: completer(fields, "keys") }),
        row("Sort", "sort", "Sort", "{ field: -1 }", { complete: completer(fields, "sort") }),
        row("Related", "embed", "Related documents", "customer, lines.product", { plain: true }),
        row("Collation", "collation", "Collation", '{ locale: "en", strength: 2 }', {}),
      ]}
      ${wrong && html`<p class="error" role="status">${wrong.message}</p>`}
    </section>`;
}

/** Marks for names that no document that was seen has: they may exist all the same. @param {string} filter @param {any[]} fields */
function unknownFields(filter, fields) {
  if (!fields.length) return [];
  const known = new Set(fields.map(field => field.path));
  const marks = [];
  for (const found of filter.matchAll(/(?:^|[{,]\s*)(["']?)([A-Za-z_][\w.]*)\1\s*:/g)) {
    const name = found[2];
    const parent = name.split(".")[0];
    if (!known.has(name) && !known.has(parent)) {
      const from = /** @type {number} */ (found.index) + found[0].indexOf(name);
      marks.push({ from, to: from + name.length, message: "No document read so far has this field", severity: "info" });
    }
  }
  return marks;
}

/** Marks for what the gateway names when it refuses the query. @param {string} filter @param {string} refusal its words */
function refused(filter, refusal) {
  const named = [...new Set(refusal.match(/\$?[A-Za-z_][\w.]*/g) || [])].filter(word => word[0] === "$" && filter.includes(word));
  return named.map(word => ({ from: filter.indexOf(word), to: filter.indexOf(word) + word.length, message: refusal, severity: "error" }));
}
