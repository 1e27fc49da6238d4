// What there is: the first page, and the page of a database.
import { html, useEffect, useState } from "./dom.js";
import { account, config, resources, route, toast } from "./state.js";
import { address, dataPath, request } from "./api.js";
import { Button, CopyButton, Empty, Failure } from "./ui.js";
import { Icon } from "./icons.js";
import { go, href } from "./route.js";
import { count, plural, size, visible } from "./format.js";
import { expand, isSystem, mayWrite, reload } from "./resources.js";
import { NewCollection } from "./newcollection.js";
import { ICON } from "./tree.js";
import { useStatistics } from "./statistics.js";
import { curl } from "./curl.js";
import { Help, docsHref } from "./help.js";

const Databases = ({ nodes }) => html`<ul class="cards">${nodes.map((/** @type {any} */ node) => html`<li><a href=${href(node.kind === "db" ? "db" : "c", node.path)}><${Icon} name=${ICON[node.kind] || "collection"} /><span>${visible(node.name)}</span>${node.children?.length > 0 && html`<span class="quiet small nowrap">${plural(node.children.length, "collection")}</span>`}</a></li>`)}</ul>`;

function Collections({ nodes, label }) {
  const known = useStatistics(nodes);
  const sized = Object.values(known).some(one => one?.size !== undefined);
  return html`<div class="panel flush" tabindex="0" role="region" aria-label=${label}><table class="plain overview"><thead><tr><th scope="col">Name</th><th scope="col" class="right">Documents</th>${sized && html`<th scope="col" class="right">Size</th><th scope="col" class="right wide-only">Average</th><th scope="col" class="right wide-only">Indexes</th>`}</tr></thead>
    <tbody>${nodes.map((/** @type {any} */ node) => {
      const one = known[node.path.join("/")];
      const purpose = node.holds || (node.kind === "schemas" ? "JSON Schemas" : node.kind === "bucket" ? "files" : "");
      return html`<tr key=${node.path.join("/")}><th scope="row"><a class="row nowrap-bar" href=${href("c", node.path)}><${Icon} name=${ICON[node.kind] || "collection"} /><span>${visible(node.name)}</span>${purpose && html`<span class="tag">${purpose}</span>`}</a></th>
        <td class="right">${one?.documents === undefined ? "" : count(one.documents)}</td>
        ${sized && html`<td class="right nowrap">${one?.size === undefined ? "" : size(one.size)}</td><td class="right nowrap wide-only">${one?.size && one.documents ? size(Math.round(one.size / one.documents)) : ""}</td><td class="right nowrap wide-only">${one?.indexes === undefined ? "" : html`${count(one.indexes)} <span class="quiet">(${size(one.indexSize || 0)})</span>`}</td>`}</tr>`;
    })}</tbody></table></div>`;
}

const SAMPLES = [["The Periodic Table", "Primo Levi", 1975], ["Invisible Cities", "Italo Calvino", 1972], ["The Tartar Steppe", "Dino Buzzati", 1940], ["Zeno's Conscience", "Italo Svevo", 1923], ["The Leopard", "Giuseppe Tomasi di Lampedusa", 1958], ["Family Lexicon", "Natalia Ginzburg", 1963]];

/** What to do where there is nothing yet. @param {{base: string[], onCreate: () => void}} props base: the path of the database */
function FirstSteps({ base, onCreate }) {
  const [error, setError] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const sample = async () => {
    setBusy(true);
    setError(null);
    try {
      await request("PUT", dataPath([...base, "books"]));
      const body = JSON.stringify(SAMPLES.map(([title, author, year], i) => ({ _id: `book-${i + 1}`, title, author, year })));
      await request("POST", dataPath([...base, "books"]) + "?wm=upsert", { headers: { "Content-Type": "application/json" }, body });
      toast("“books” has six documents now", "good");
      reload();
      go(href("c", [...base, "books"]));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const line = curl({ method: "GET", url: address(`${dataPath([...base, "books"])}?filter={"year":1975}`) });
  return html`<section class="panel stack" aria-labelledby="first-steps"><div><h2 id="first-steps">First steps</h2><p class="quiet">Nothing is stored here yet. Every collection you create is an API right away.</p></div>
    <ol class="steps">
      <li><h3>Store documents</h3><p class="quiet">Start with six sample books or with your own collection, whose tab “Import and export” reads JSON and CSV. The <a href=${docsHref("tutorial")}>tutorial</a> goes through everything.</p><div class="row"><${Button} kind="primary" icon="plus" busy=${busy} disabled=${busy} onClick=${sample}>Create sample data</${Button}><${Button} onClick=${onCreate}>New collection</${Button}></div>${error && html`<${Failure} error=${error} />`}</li>
      <li><h3>Read them from anywhere</h3><div class="row"><code>${line}</code><${CopyButton} text=${line} label="Copy the command" /></div></li>
      <li><h3>Let others in</h3><p class="quiet">Create an account for each person or program, and permissions that say what its roles may do.</p><div class="row">${config.value.access && html`<a class="button" href="#/access?tab=accounts">Accounts</a><a class="button" href="#/access?tab=permissions">Permissions</a>`}${config.value.openapi && html`<a class="button" href="#/api">API</a>`}</div></li>
    </ol></section>`;
}

export function Home() {
  const [creating, setCreating] = useState(false);
  const { path, name } = route.value;
  const { state, roots, root, error } = resources.value;
  const within = name === "db" && path.length ? (roots || []).find((/** @type {any} */ node) => node.name === path[0]) : null;
  useEffect(() => {
    if (within && within.kind === "db" && !within.children) expand(within);
  }, [within]);
  const nodes = within ? within.children : roots;
  const databases = root === "root" && !within;
  const own = (nodes || []).filter((/** @type {any} */ node) => databases || !isSystem(node));
  const system = (nodes || []).filter((/** @type {any} */ node) => !own.includes(node));
  const creates = mayWrite(within ? within.path : [], "manage");
  const noun = databases ? "database" : "collection";
  return html`
    <div class="page">
      <div class="page-head"><h1>${within ? visible(within.name) : databases ? "Databases" : "Collections"}</h1><span class="spring"></span><${Help} page="how-to/console" about="the console" /></div>
      ${state === "error" && html`<${Failure} error=${error} />`}
      ${own.length > 0 && html`<div class="toolbar"><span class="quiet">${plural(own.length, noun)}</span><span class="spring"></span>${creates && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>${`New ${noun}`}</${Button}>`}</div>
        ${databases ? html`<${Databases} nodes=${own} />` : html`<${Collections} nodes=${own} label="Collections" />`}`}
      ${state === "ready" && nodes && !own.length && (creates && !databases ? html`<${FirstSteps} base=${within ? within.path : []} onCreate=${() => setCreating(true)} />` : html`<${Empty} icon="database" title=${within ? "No collections are visible" : "Nothing is visible to you"} text=${html`You are signed in as <b>${account.value.name}</b>${account.value.roles ? html` with ${account.value.roles.length ? html`the role <b>${account.value.roles.join(", ")}</b>` : "no role"}` : ""}.`}>
        ${creates && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>Create one</${Button}>`}${config.value.access && html`<a class="button" href="#/access">My rights</a>`}</${Empty}>`)}
      ${system.length > 0 && html`<details class="system"><summary>System <span class="quiet">(${system.map((/** @type {any} */ node) => visible(node.name)).join(", ")})</span></summary><${Collections} nodes=${system} label="System collections" /></details>`}
      ${creating && html`<${NewCollection} base=${within ? [within.name] : undefined} onClose=${() => setCreating(false)} />`}
    </div>`;
}
