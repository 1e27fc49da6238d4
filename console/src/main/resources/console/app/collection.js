// A collection: its title, its tabs, and the one that is open.
import { html, useEffect } from "./dom.js";
import { config, resources, route } from "./state.js";
import { Empty, Loading, Tabs } from "./ui.js";
import { go, href } from "./route.js";
import { Help } from "./help.js";
import { visible } from "./format.js";
import { dataPath, request, target } from "./api.js";
import { useLoad } from "./load.js";
import { known, may } from "./resources.js";
import { Documents } from "./documents.js";
import { DocumentPage } from "./document.js";

/** The tabs there are; each shows `Page` with the path of the collection. @type {{id: string, text: string, page: string, Page: any}[]} */
export const tabs = [{ id: "documents", text: "Documents", page: "documents", Page: null }];

/** What the documentation says of the tabs. @type {Record<string, {page: string, at?: string, about: string}>} */
const HELP = {
  documents: { page: "reference/api", at: "many-documents", about: "filters, sorts and pages" },
  aggregations: { page: "reference/api", at: "aggregations", about: "aggregations" },
  live: { page: "reference/streams", about: "change streams" },
  schema: { page: "reference/schemas", about: "JSON Schemas" },
  indexes: { page: "reference/api", at: "lists-properties-indexes", about: "indexes" },
  transfer: { page: "how-to/import-and-export", about: "import and export" },
  properties: { page: "reference/api", at: "lists-properties-indexes", about: "properties" },
};

/** Every page of a collection is of one path for its whole life: with another path it is another page, which begins with nothing. */
export const Collection = () => html`<${There} key=${JSON.stringify(route.value.path)} path=${route.value.path} />`;

/** Shows the tabs unless the gateway has nothing at the path, which it is asked only where the list of what there is does not have it. */
function There({ path }) {
  const kind = path.length ? known().find(node => node.path.join("/") === path.join("/"))?.kind : resources.value.root === "root" ? "db" : resources.value.root;
  const listed = resources.value.state !== "ready" || kind !== undefined;
  const { data, busy, cancel } = useLoad(async signal => (listed ? 200 : (await request("GET", target(dataPath(path), { pagesize: 1 }), { signal, quiet: true, any: true })).status), [listed], []);
  useEffect(() => {
    if (kind === "db" && resources.value.state === "ready") go(href("db", path), true);
  }, [kind, resources.value.state]);
  if (kind === "db") return null;
  if (!listed && data === undefined && busy) return html`<div class="page"><${Loading} busy=${busy} onCancel=${cancel} /></div>`;
  if (!listed && data === 404) return html`<div class="page"><${Empty} icon="search" title=${`There is no collection ${visible(path.join("/"))}`} text="It was deleted, it never existed, or the URL is misspelled."><a class="button" href="#/">All collections</a></${Empty}></div>`;
  return html`<${Shown} path=${path} />`;
}

function Shown({ path }) {
  const { query } = route.value;
  const shown = tabs.filter(tab => tab.page.split(" ").some(name => config.value.pages.includes(name)) && (tab.id !== "live" || may(path, "stream")));
  const current = shown.find(tab => tab.id === (query.tab || "documents")) || shown[0];
  if (!current) return html`<div class="page"><div class="page-head"><h1>${visible(path.at(-1) || "/")}</h1></div><p class="quiet">This console shows no pages of collections (console.pages).</p></div>`;
  const head = html`
    <div class="page-head"><h1>${visible(path.at(-1) || "/")}</h1>
      <${Tabs} label="Views of the collection" current=${current.id} items=${shown.map(tab => ({ id: tab.id, text: tab.text, href: href("c", path, tab.id === "documents" ? {} : { tab: tab.id }) }))} />
      ${HELP[current.id] && html`<span class="spring"></span><${Help} ...${HELP[current.id]} />`}
    </div>`;
  if (current.Page) return html`<div class="page">${head}<${current.Page} path=${path} /></div>`;
  return query.doc ? html`<div class="page"><${DocumentPage} key=${query.doc} path=${path}>${head}</${DocumentPage}></div>` : html`<div class="page"><${Documents} path=${path}>${head}</${Documents}></div>`;
}
