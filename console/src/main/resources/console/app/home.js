// What there is, as cards: the first page, and the page of a database.
import { html, useState } from "./dom.js";
import { account, readOnly, resources, route } from "./state.js";
import { Button, Empty, Failure } from "./ui.js";
import { Icon } from "./icons.js";
import { href } from "./route.js";
import { count, visible } from "./format.js";
import { expand } from "./resources.js";
import { NewCollection } from "./newcollection.js";

const Cards = ({ nodes }) => html`<ul class="cards">${nodes.map((/** @type {any} */ node) => html`<li><a href=${href(node.kind === "db" ? "db" : "c", node.path)}><${Icon} name=${node.kind === "db" ? "database" : node.kind === "bucket" ? "bucket" : "collection"} /><span>${visible(node.name)}</span></a></li>`)}</ul>`;

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
      ${nodes && nodes.length > 0 && html`<div class="toolbar"><span class="quiet">${count(nodes.length)} ${noun.toLowerCase()}</span><span class="spring"></span>${!readOnly.value && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>${noun === "Databases" ? "New database" : "New collection"}</${Button}>`}</div><${Cards} nodes=${nodes} />`}
      ${state === "ready" && nodes && !nodes.length && html`<${Empty} icon="database" title=${`No ${noun.toLowerCase()} are visible`} text=${html`You are signed in as <b>${account.value.name}</b>${account.value.roles ? html` with ${account.value.roles.length ? html`the role <b>${account.value.roles.join(", ")}</b>` : "no role"}` : ""}.`}>
        ${!readOnly.value && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>Create one</${Button}>`}</${Empty}>`}
      ${creating && html`<${NewCollection} base=${within ? [within.name] : undefined} onClose=${() => setCreating(false)} />`}
    </div>`;
}
