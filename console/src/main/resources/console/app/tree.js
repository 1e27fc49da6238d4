// Databases, collections and buckets that the caller may see, at the left.
import { cls, html, useEffect, useMemo, useRef, useState } from "./dom.js";
import { account, panel, resources, route } from "./state.js";
import { Button } from "./ui.js";
import { Icon } from "./icons.js";
import { href } from "./route.js";
import { visible } from "./format.js";
import { expand, isSystem, mayWrite, reload } from "./resources.js";

const ROW = 30;

/** The rows that are shown, in order. @param {any[]} nodes @param {string} wanted @param {number} depth @returns {any[]} */
function rows(nodes, wanted, depth = 0) {
  const listed = (/** @type {any[]} */ some) => some.flatMap(node => {
    const below = node.children && (node.open || wanted) ? rows(node.children, wanted, depth + 1) : [];
    const fits = !wanted || node.name.toLowerCase().includes(wanted);
    return fits || below.length ? [{ node, depth }, ...below] : [];
  });
  const system = listed(nodes.filter(isSystem));
  return [...listed(nodes.filter(node => !isSystem(node))), ...(system.length ? [{ heading: "System", depth, of: nodes[0].path.slice(0, -1).join("/") }, ...system] : [])];
}

/** @type {Record<string, string>} */
export const ICON = { db: "database", coll: "collection", bucket: "bucket", schemas: "schemas" };

export function Tree({ onCreate }) {
  const [wanted, setWanted] = useState("");
  const [top, setTop] = useState(0);
  const list = useRef(/** @type {any} */ (null));
  const { state, roots, error } = resources.value;
  const shown = useMemo(() => rows(roots || [], wanted.trim().toLowerCase()), [roots, wanted]);
  const height = list.current?.clientHeight || 800;
  const first = Math.max(0, Math.floor(top / ROW) - 10);
  const part = shown.slice(first, first + Math.ceil(height / ROW) + 20);
  useEffect(() => {
    if (account.value) reload();
  }, [account.value?.name]);

  const key = (/** @type {KeyboardEvent} */ e) => {
    const all = [...list.current.querySelectorAll("a.node")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    all[all.indexOf(document.activeElement) + step]?.focus();
  };

  return html`
    <div class="tree">
      <div class="tree-head">
        <input type="search" placeholder="Filter" aria-label="Filter collections" value=${wanted} onInput=${(/** @type {any} */ e) => setWanted(e.target.value)} />
        <${Button} icon="refresh" kind="plain" label="Reload the list" onClick=${reload} />
        ${mayWrite([], "manage") && html`<${Button} icon="plus" kind="plain" label="New collection" onClick=${onCreate} />`}
      </div>
      <div class="tree-list" ref=${list} onScroll=${(/** @type {any} */ e) => setTop(e.target.scrollTop)} onKeyDown=${key} tabindex="-1">
        ${state === "loading" && !roots && html`<div class="skeleton" aria-hidden="true">${[70, 55, 80, 45, 60].map(w => html`<span class=${`bone w${w}`}></span>`)}</div>`}
        ${state === "error" && html`<p class="tree-note">${error.status === 403 ? html`<b>${account.value?.name}</b> may not list what is here. Collections can be opened by their path: press Ctrl K.` : error.message}</p>`}
        ${state === "ready" && !shown.length && html`<p class="tree-note">${wanted ? "No name contains this." : mayWrite([], "manage") ? "No collections yet." : html`Nothing is visible to <b>${account.value?.name}</b>${account.value?.roles ? ` (${account.value.roles.join(", ") || "no role"})` : ""}.`}</p>`}
        <div style=${{ height: `${shown.length * ROW}px` }} class="tree-space">
          <ul style=${{ transform: `translateY(${first * ROW}px)` }}>
            ${part.map(({ node, depth, heading, of }) => heading ? html`<li key=${`${of}/ ${heading}`} class="tree-heading" style=${{ paddingLeft: `${depth * 14 + 8}px` }}>${heading}</li>` : html`<${Row} key=${node.path.join("/")} node=${node} depth=${depth} />`)}
          </ul>
        </div>
      </div>
      <${Places} />
    </div>`;
}

function Row({ node, depth }) {
  const here = route.value.path.join("/") === node.path.join("/") && (route.value.name === "c" || route.value.name === "db");
  return html`
    <li style=${{ paddingLeft: `${depth * 14}px` }}>
      ${node.kind === "db" && html`<button type="button" class=${cls("twist", node.open && "open")} aria-expanded=${String(Boolean(node.open))} aria-label=${`Collections of ${visible(node.name)}`} onClick=${() => expand(node)}><${Icon} name="chevron" /></button>`}
      <a class="node" href=${href(node.kind === "db" ? "db" : "c", node.path)} aria-current=${here ? "page" : null} onClick=${() => (panel.value = null)} title=${visible(node.name)}>
        <${Icon} name=${ICON[node.kind] || "collection"} /><span>${visible(node.name)}</span>
      </a>
    </li>`;
}

/** Pages that belong to no collection; main.js fills it. @type {{name: string, text: string, icon: string, shown: () => boolean}[]} */
export const places = [];

const Places = () => html`
  <nav class="places" aria-label="Pages">
    ${places.filter(place => place.shown()).map(place => html`<a class="node" href=${href(place.name)} aria-current=${route.value.name === place.name ? "page" : null} onClick=${() => (panel.value = null)}><${Icon} name=${place.icon} /><span>${place.text}</span></a>`)}
  </nav>`;
