// The documentation of this release, which the gateway serves beside the console.
import { html, useEffect } from "./dom.js";
import { route } from "./state.js";
import { file } from "./api.js";
import { useLoad } from "./load.js";
import { Empty, Loading } from "./ui.js";
import { docsHref } from "./help.js";
import { blocks, slug } from "./markdown.js";

/** What is read, in the order of need: groups of pages by their files. @type {[string, [string, string][]][]} */
const CONTENTS = [
  ["Begin", [["tutorial", "Tutorial"], ["how-to/web-app", "A web app"], ["how-to/console", "The console"]]],
  ["Data", [["reference/api", "Reading"], ["reference/api-writing", "Writing"], ["reference/paging", "Paging"], ["reference/files", "Files"], ["reference/schemas", "JSON Schemas"], ["reference/streams", "Change streams"], ["reference/sessions", "Transactions"], ["reference/graphql", "GraphQL"], ["reference/openapi", "OpenAPI"], ["reference/errors", "Errors"]]],
  ["Access", [["how-to/secure", "Accounts and permissions"], ["reference/rules", "Predicates and variables"]]],
  ["Operation", [["reference/configuration", "Configuration"], ["how-to/import-and-export", "Import and export"], ["how-to/production", "Production"], ["how-to/operate", "Operate"], ["how-to/scale", "Scale"], ["reference/metrics", "Metrics"]]],
];

/** Where a link of a page leads: pages that are not here are named only. @param {string} page @param {string} target @returns {string|null} */
function leads(page, target) {
  const [path, at = ""] = target.split("#");
  if (/^[a-z]+:/.test(target)) return /^https?:/.test(target) ? target : null;
  if (!path) return docsHref(page, at);
  const segments = page.split("/").slice(0, -1);
  for (const part of path.split("/")) part === ".." ? segments.pop() : part !== "." && segments.push(part);
  const name = segments.join("/").replace(/\.md$/, "");
  return CONTENTS.some(([, pages]) => pages.some(([one]) => one === name)) ? docsHref(name, at) : null;
}

export function Docs() {
  const page = route.value.path.join("/") || CONTENTS[0][1][0][0];
  const { at } = route.value.query;
  const { data, error, busy, cancel } = useLoad(async signal => blocks(await file(`docs/${page}.md`, signal)), [page]);
  useEffect(() => {
    const main = document.getElementById("main");
    const place = at && document.getElementById(`doc-${at}`);
    if (data && main) main.scrollTo(0, place ? main.scrollTop + place.getBoundingClientRect().top - main.getBoundingClientRect().top - 16 : 0);
  }, [data, at]);
  return html`<div class="page docs">
    <nav class="docs-nav" aria-label="Contents">${CONTENTS.map(([group, pages]) => html`<div><p>${group}</p><ul>${pages.map(([name, text]) => html`<li><a href=${docsHref(name)} aria-current=${name === page ? "page" : null}>${text}</a></li>`)}</ul></div>`)}</nav>
    <${Loading} busy=${busy} onCancel=${cancel}>${error && html`<h1>Documentation</h1><${Empty} icon="book" title="This page is not here" text="It belongs to another release, or this gateway was built without its documentation." />`}
      ${data && html`<article class="doc">${data.map(block => html`<${Block} block=${block} page=${page} />`)}</article>`}</${Loading}>
  </div>`;
}

/** @param {{text: string, page: string}} props */
const Inline = ({ text, page }) => text.split(/(`+[^`]+`+|\*\*[^*]+\*\*|!?\[(?:[^\]`]|`[^`]*`)*\]\([^)]*\)|<https?:[^>]+>|(?<![\w*])\*[^*\s][^*]*\*)/).map(part => {
  const link = /^(!?)\[([^]*)\]\(([^)]*)\)$/.exec(part);
  if (/^`.*`$/s.test(part)) return html`<code>${part.replace(/^`+ ?| ?`+$/g, "")}</code>`;
  if (/^\*\*.*\*\*$/s.test(part)) return html`<b><${Inline} text=${part.slice(2, -2)} page=${page} /></b>`;
  if (/^<https?:/.test(part)) return part.slice(1, -1);
  if (/^\*[^*]+\*$/.test(part)) return html`<em>${part.slice(1, -1)}</em>`;
  if (!link) return part;
  if (link[1]) return null; // pictures are in the repository
  const where = leads(page, link[3]);
  return where ? html`<a href=${where} ...${where[0] === "#" ? {} : { target: "_blank", rel: "noopener noreferrer" }}><${Inline} text=${link[2]} page=${page} /></a>` : html`<${Inline} text=${link[2]} page=${page} />`;
});

function Block({ block, page }) {
  const { kind, text, rows, items, level, ordered } = block;
  if (kind === "heading") return html`<${`h${level}`} id=${`doc-${slug(text)}`}><${Inline} text=${text} page=${page} /></${`h${level}`}>`;
  if (kind === "code") return html`<pre class="code" tabindex="0">${text}</pre>`;
  if (kind === "quote") return html`<blockquote>${block.inner.map((/** @type {any} */ one) => html`<${Block} block=${one} page=${page} />`)}</blockquote>`;
  if (kind === "list") return html`<${ordered ? "ol" : "ul"}>${items.map((/** @type {any[]} */ inner) => html`<li>${inner.map(one => html`<${Block} block=${one} page=${page} />`)}</li>`)}</${ordered ? "ol" : "ul"}>`;
  if (kind === "table") return html`<div class="panel flush" tabindex="0"><table class="plain"><thead><tr>${rows[0].map((/** @type {string} */ one) => (one ? html`<th scope="col"><${Inline} text=${one} page=${page} /></th>` : html`<td></td>`))}</tr></thead><tbody>${rows.slice(1).map((/** @type {string[]} */ row) => html`<tr>${row.map(one => html`<td><${Inline} text=${one} page=${page} /></td>`)}</tr>`)}</tbody></table></div>`;
  return html`<p><${Inline} text=${text} page=${page} /></p>`;
}
