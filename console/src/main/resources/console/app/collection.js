// A collection: its title, its tabs, and the one that is open.
import { html } from "./dom.js";
import { config, route } from "./state.js";
import { Tabs } from "./ui.js";
import { href } from "./route.js";
import { visible } from "./format.js";
import { Documents } from "./documents.js";
import { DocumentPage } from "./document.js";
import { may } from "./rights.js";

/** The tabs there are; each shows `Page` with the path of the collection. @type {{id: string, text: string, page: string, Page: any}[]} */
export const tabs = [{ id: "documents", text: "Documents", page: "documents", Page: null }];

export function Collection() {
  const { path, query } = route.value;
  const shown = tabs.filter(tab => tab.page.split(" ").some(name => config.value.pages.includes(name)) && (tab.id !== "live" || may(path, "stream")));
  const current = shown.find(tab => tab.id === (query.tab || "documents")) || shown[0];
  if (!current) return html`<div class="page"><div class="page-head"><h1>${visible(path.at(-1) || "/")}</h1></div><p class="quiet">This console shows no pages of collections (console.pages).</p></div>`;
  const head = html`
    <div class="page-head"><h1>${visible(path.at(-1) || "/")}</h1>
      <${Tabs} label="Views of the collection" current=${current.id} items=${shown.map(tab => ({ id: tab.id, text: tab.text, href: href("c", path, tab.id === "documents" ? {} : { tab: tab.id }) }))} />
    </div>`;
  if (current.Page) return html`<div class="page">${head}<${current.Page} key=${path.join("/")} path=${path} /></div>`;
  return query.doc ? html`<div class="page"><${DocumentPage} path=${path}>${head}</${DocumentPage}></div>` : html`<div class="page"><${Documents} path=${path}>${head}</${Documents}></div>`;
}
