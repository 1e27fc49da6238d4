// Ctrl K: collections, pages and actions by a few letters of their names.
import { html, useMemo, useRef, useState } from "./dom.js";
import { changeSettings, panel } from "./state.js";
import { known } from "./resources.js";
import { ICON, places } from "./tree.js";
import { Dialog } from "./ui.js";
import { Icon } from "./icons.js";
import { go, href } from "./route.js";
import { visible } from "./format.js";

function entries() {
  const collections = known().map(node => ({ text: visible(node.path.join("/") || "/"), kind: node.kind === "db" ? "Database" : "Collection", icon: ICON[node.kind] || "collection", act: () => go(href(node.kind === "db" ? "db" : "c", node.path)) }));
  const pages = places.filter(place => place.shown()).map(place => ({ text: place.text, kind: "Page", icon: place.icon, act: () => go(href(place.name)) }));
  const themes = ["dark", "light", "system"].map(theme => ({ text: `Theme: ${theme}`, kind: "Action", icon: "moon", act: () => changeSettings({ theme }) }));
  return [...collections, ...pages, ...themes, { text: "Keyboard", kind: "Action", icon: "question", act: () => (panel.value = "keys") }];
}

/** How well letters fit a name; negative if they do not. */
function score(/** @type {string} */ text, /** @type {string} */ wanted) {
  const name = text.toLowerCase();
  const at = name.indexOf(wanted);
  if (at >= 0) return 1000 - at - name.length / 100;
  let i = 0;
  for (const c of name) if (c === wanted[i]) i++;
  return i === wanted.length ? 100 - name.length : -1;
}

export function Palette() {
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState(0);
  const list = useRef(/** @type {any} */ (null));
  const all = useMemo(entries, []);
  const text = wanted.trim().toLowerCase();
  const found = all.map(entry => ({ entry, fit: text ? score(entry.text, text) : 0 })).filter(({ fit }) => fit >= 0).sort((a, b) => b.fit - a.fit).slice(0, 50).map(({ entry }) => entry);
  if (text && !found.some(entry => entry.text.toLowerCase() === text)) {
    found.push({ text: `Open the collection “${wanted.trim()}”`, kind: "Path", icon: "collection", act: () => go(href("c", wanted.trim().split("/").filter(Boolean))) });
  }
  const take = (/** @type {any} */ entry) => {
    panel.value = null;
    entry?.act();
  };
  const key = (/** @type {KeyboardEvent} */ e) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) {
      e.preventDefault();
      const next = (chosen + step + found.length) % found.length;
      setChosen(next);
      list.current.children[next]?.scrollIntoView({ block: "nearest" });
    } else if (e.key === "Enter") {
      e.preventDefault();
      take(found[chosen]);
    }
  };
  return html`
    <${Dialog} title="Find anything" onClose=${() => (panel.value = null)}>
      <input class="palette-input" autofocus role="combobox" aria-expanded="true" aria-controls="palette" aria-activedescendant=${`palette-${chosen}`} aria-label="Name of a collection, a page or an action" placeholder="books, metrics, dark…" value=${wanted} onKeyDown=${key}
        onInput=${(/** @type {any} */ e) => (setWanted(e.target.value), setChosen(0))} />
      <ul id="palette" class="palette" role="listbox" aria-label="Found" ref=${list}>
        ${found.map((entry, i) => html`<li role="option" id=${`palette-${i}`} aria-selected=${String(i === chosen)} onClick=${() => take(entry)}><${Icon} name=${entry.icon} /><span>${entry.text}</span><span class="quiet">${entry.kind}</span></li>`)}
      </ul>
    </${Dialog}>`;
}
