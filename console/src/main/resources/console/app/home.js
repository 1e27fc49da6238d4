// What there is, as cards: the first page, and the page of a database.
import { html, useState } from "./dom.js";
import { account, config, resources, route } from "./state.js";
import { Button, Empty, Failure } from "./ui.js";
import { Icon } from "./icons.js";
import { href } from "./route.js";
import { plural, visible } from "./format.js";
import { expand, mayWrite } from "./resources.js";
import { NewCollection } from "./newcollection.js";
import { ICON } from "./tree.js";

const Cards = ({ nodes }) => html`<ul class="cards">${nodes.map((/** @type {any} */ node) => html`<li><a href=${href(node.kind === "db" ? "db" : "c", node.path)}><${Icon} name=${ICON[node.kind] || "collection"} /><span>${visible(node.name)}</span></a></li>`)}</ul>`;

export function Home() {
  const [creating, setCreating] = useState(false);
  const { path, name } = route.value;
  const { state, roots, root, error } = resources.value;
  const within = name === "db" && path.length ? (roots || []).find((/** @type {any} */ node) => node.name === path[0]) : null;
  if (within && within.kind === "db" && !within.children) expand(within);
  const nodes = within ? within.children : roots;
  const noun = root === "root" && !within ? "Databases" : "Collections";
  return html`
    <div class="page">
      <div class="page-head"><h1>${within ? visible(within.name) : noun}</h1></div>
      ${state === "error" && html`<${Failure} error=${error} />`}
      ${nodes && nodes.length > 0 && html`<div class="toolbar"><span class="quiet">${plural(nodes.length, noun.toLowerCase().slice(0, -1))}</span><span class="spring"></span>${mayWrite(within ? within.path : [], "manage") && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>${noun === "Databases" ? "New database" : "New collection"}</${Button}>`}</div><${Cards} nodes=${nodes} />`}
      ${state === "ready" && nodes && !nodes.length && html`<${Empty} icon="database" title=${within ? "No collections are visible" : "Nothing is visible to you"} text=${html`You are signed in as <b>${account.value.name}</b>${account.value.roles ? html` with ${account.value.roles.length ? html`the role <b>${account.value.roles.join(", ")}</b>` : "no role"}` : ""}.`}>
        ${mayWrite(within ? within.path : [], "manage") && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>Create one</${Button}>`}${config.value.access && html`<a class="button" href="#/access">What may I do?</a>`}</${Empty}>`}
      ${creating && html`<${NewCollection} base=${within ? [within.name] : undefined} onClose=${() => setCreating(false)} />`}
    </div>`;
}
