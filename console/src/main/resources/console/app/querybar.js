// Filter, projection and sort: three lines that complete by the fields there are.
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

function remember(/** @type {string[]} */ path, /** @type {any} */ query) {
  if (!query.filter && !query.sort && !query.keys) return;
  const line = JSON.stringify(query);
  sessionStorage.setItem(keyOf(path), JSON.stringify([query, ...past(path).filter(one => JSON.stringify(one) !== line)].slice(0, HISTORY)));
}

export function QueryBar({ path, query, fields, busy, refusal, onRun, onChange }) {
  const [filter, setFilter] = useState(query.filter || "");
  const [keys, setKeys] = useState(query.keys || "");
  const [sort, setSort] = useState(query.sort || "");
  const [conditions, setConditions] = useState(false);
  const [more, setMore] = useState(Boolean(query.keys || query.sort));
  const bar = useRef(/** @type {any} */ (null));
  useEffect(() => {
    setFilter(query.filter || "");
    setKeys(query.keys || "");
    setSort(query.sort || "");
    if (query.keys || query.sort) setMore(true);
  }, [query.filter, query.keys, query.sort]);
  useEffect(() => {
    pageKeys["/"] = () => bar.current?.querySelector(".editor")?.editor?.focus();
    return () => delete pageKeys["/"];
  }, []);
  const wrong = [filter, keys, sort].map(problem).find(Boolean);
  const run = () => {
    if (wrong) return;
    const next = { filter: filter.trim(), keys: keys.trim(), sort: sort.trim() };
    remember(path, next);
    if (next.filter === (query.filter || "") && next.keys === (query.keys || "") && next.sort === (query.sort || "")) onRun();
    else onChange(next);
  };
  const used = past(path);
  const marks = [...unknownFields(filter, fields()), ...(filter === (query.filter || "") ? refused(filter, refusal) : [])];
  return html`
    <section class="query" ref=${bar} aria-label="Query">
      <div class="query-row">
        <span class="label" aria-hidden="true">Filter</span>
        <${Editor} line value=${filter} onChange=${setFilter} onRun=${run} label="Filter" hint="{ field: value }" complete=${completer(fields, "filter")} marks=${marks} />
        <${Button} kind="plain" icon="filter" onClick=${() => setConditions(!conditions)} aria-expanded=${String(conditions)}>Conditions</${Button}>
        <${Button} kind="plain" onClick=${() => setMore(!more)} aria-expanded=${String(more)}>Sort and fields</${Button}>
        ${used.length > 0 && html`<${Menu} icon="down" kind="plain" label="Earlier queries" text="History" items=${used.map(one => ({ text: visible([one.filter, one.sort && `sort ${one.sort}`, one.keys && `show ${one.keys}`].filter(Boolean).join(" · ")), onClick: () => onChange(one) }))} />`}
        <${Button} kind="primary" icon="play" disabled=${Boolean(wrong)} busy=${busy} onClick=${run}>Run</${Button}>
      </div>
      ${conditions && html`<${Conditions} filter=${filter} fields=${fields()} onChange=${setFilter} onRun=${run} />`}
      ${more && html`
        <div class="query-row"><span class="label" aria-hidden="true">Fields</span><${Editor} line value=${keys} onChange=${setKeys} onRun=${run} label="Projection" hint="{ field: 1 }" complete=${completer(fields, "keys")} /></div>
        <div class="query-row"><span class="label" aria-hidden="true">Sort</span><${Editor} line value=${sort} onChange=${setSort} onRun=${run} label="Sort" hint="{ field: -1 }" complete=${completer(fields, "sort")} /></div>`}
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
