// Documents as rows: the grid pattern of ARIA, with one cell at a time in the order of focus.
import { cls, html, useEffect, useMemo, useRef, useState } from "./dom.js";
import { at, cell, inline, typeName } from "./shellprint.js";
import { settings } from "./state.js";
import { Icon } from "./icons.js";
import { cut, visible } from "./format.js";
import { pageKeys } from "./keys.js";

const id = (/** @type {any} */ document) => (document.row !== undefined ? String(document.row) : inline(at(document, "_id") ?? { t: "null" }));

export function Table({ documents, columns, sort, selected, onSelect, onOpen, onSort, plain }) {
  const [focus, setFocus] = useState([0, 0]);
  const [widths, setWidths] = useState(/** @type {Record<string, number>} */ ({}));
  const grid = useRef(/** @type {any} */ (null));
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) grid.current?.querySelector('[tabindex="0"][role=gridcell]')?.focus();
  }, [focus]);
  const move = (/** @type {number} */ rows, /** @type {number} */ cols) => {
    moved.current = true;
    setFocus(([r, c]) => [Math.max(0, Math.min(documents.length - 1, r + rows)), Math.max(0, Math.min(columns.length, c + cols))]);
  };
  useEffect(() => {
    pageKeys.j = () => move(moved.current ? 1 : 0, 0);
    pageKeys.k = () => move(-1, 0);
    return () => (delete pageKeys.j, delete pageKeys.k);
  }, [documents, columns.length]);
  const key = (/** @type {KeyboardEvent} */ e) => {
    const step = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1], PageDown: [20, 0], PageUp: [-20, 0], Home: [0, -999], End: [0, 999] }[e.key];
    if (step) move(step[0], step[1]);
    else if (e.key === "Enter") onOpen(documents[focus[0]]);
    else if (e.key === " ") toggle(documents[focus[0]]);
    else return;
    e.preventDefault();
  };
  const toggle = (/** @type {any} */ document) => {
    const next = new Set(selected);
    next.delete(id(document)) || next.add(id(document));
    onSelect(next);
  };
  const types = useMemo(() => mainTypes(documents, columns), [documents, columns.join("\n")]);
  const everything = selected.size === documents.length;
  const sorted = /^\{\s*["']?([^"':]+?)["']?\s*:\s*(-?1)\s*\}$/.exec(sort || "");
  return html`
    <div class="grid-wrap">
      <table class=${cls("grid", settings.value.density)} role="grid" aria-rowcount=${documents.length + 1} aria-label="Documents" ref=${grid} onKeyDown=${key}>
        <thead><tr role="row">
          ${!plain && html`<th role="columnheader" class="pick"><input type="checkbox" aria-label="Select all on this page" checked=${everything} onChange=${() => onSelect(everything ? new Set() : new Set(documents.map(id)))} /></th>`}
          ${columns.map((/** @type {string} */ name) => {
            const direction = sorted && sorted[1] === name ? (sorted[2] === "1" ? "ascending" : "descending") : null;
            return html`<th role="columnheader" key=${name} aria-sort=${direction} style=${widths[name] ? { width: `${widths[name]}px`, minWidth: `${widths[name]}px`, maxWidth: `${widths[name]}px` } : null}>
              <button type="button" disabled=${plain} onClick=${() => onSort(`{${JSON.stringify(name)}: ${direction === "ascending" ? -1 : 1}}`)}><span>${visible(name)}${types[name] && html` <span class="type">${typeName(types[name])}</span>`}</span>${direction && html`<${Icon} name=${direction === "ascending" ? "up" : "down"} />`}</button>
              <${Grip} onResize=${(/** @type {number} */ width) => setWidths({ ...widths, [name]: width })} />
            </th>`;
          })}
        </tr></thead>
        <tbody>${documents.map((/** @type {any} */ document, /** @type {number} */ r) => html`<${Row} key=${id(document)} plain=${plain} document=${document} columns=${columns} types=${types} widths=${widths} chosen=${selected.has(id(document))} focused=${focus[0] === r ? focus[1] : -1} onToggle=${() => toggle(document)} onOpen=${() => onOpen(document)} onFocus=${(/** @type {number} */ c) => setFocus([r, c])} />`)}</tbody>
      </table>
    </div>`;
}

const MIXED = "mixed";

/** The type that most values of a column have: the head of the column names it, and only other values name theirs. @param {any[]} documents @param {string[]} columns */
function mainTypes(documents, columns) {
  return Object.fromEntries(columns.map(name => {
    /** @type {Record<string, number>} */
    const counts = {};
    for (const document of documents) {
      const type = at(document, name)?.t;
      if (type && type !== "null") counts[type] = (counts[type] || 0) + 1;
    }
    const [most] = Object.keys(counts).sort((a, b) => counts[b] - counts[a]);
    return [name, most && counts[most] * 2 <= Object.values(counts).reduce((a, b) => a + b, 0) ? MIXED : most];
  }));
}

function Row({ plain, document, columns, types, widths, chosen, focused, onToggle, onOpen, onFocus }) {
  return html`
    <tr role="row" class=${cls(chosen && "chosen", focused >= 0 && "here")} aria-selected=${String(chosen)} onDblClick=${onOpen}>
      ${!plain && html`<td role="gridcell" class="pick" tabindex=${focused === 0 ? 0 : -1}><input type="checkbox" tabindex="-1" aria-label="Select this document" checked=${chosen} onChange=${onToggle} /></td>`}
      ${columns.map((/** @type {string} */ name, /** @type {number} */ c) => {
        const value = at(document, name);
        const text = value ? cut(cell(value, settings.value.utc), 160) : "";
        const fixed = widths[name] ? { maxWidth: `${widths[name]}px` } : null;
        return html`<td role="gridcell" key=${name} style=${fixed} class=${value ? `t-${value.t}` : "none"} data-label=${visible(name)} tabindex=${focused === c + 1 ? 0 : -1} title=${value ? cut(visible(value.t === "string" ? value.v : inline(value)), 600) : null} onFocus=${() => onFocus(c + 1)} onClick=${onOpen}>
          ${value && html`<span class="value">${text}${value.t !== types[name] && value.t !== "null" && html` <span class="type">${typeName(value.t)}</span>`}</span>`}
        </td>`;
      })}
    </tr>`;
}

/** Changes the width of a column by dragging. */
function Grip({ onResize }) {
  const begin = useRef(/** @type {any} */ (null));
  return html`<span class="grip" aria-hidden="true"
    onPointerDown=${(/** @type {any} */ e) => (e.preventDefault(), e.target.setPointerCapture(e.pointerId), (begin.current = e.clientX - e.target.parentElement.offsetWidth))}
    onPointerMove=${(/** @type {any} */ e) => begin.current !== null && onResize(Math.max(60, e.clientX - begin.current))}
    onPointerUp=${() => (begin.current = null)}></span>`;
}
