// The documents of a collection: what was asked for, and what came.
import { html, save, useEffect, useMemo, useRef, useState } from "./dom.js";
import { announcement, config, route, settings, toast } from "./state.js";
import { address, announce, dataPath, nextAfter, request, target } from "./api.js";
import { parse } from "./shell.js";
import { inline, print } from "./shellprint.js";
import { columnsOf, infer } from "./fields.js";
import { useLoad } from "./load.js";
import { Button, Choice, CopyButton, Empty, Failure, Loading, Menu } from "./ui.js";
import { count, duration, plural, visible } from "./format.js";
import { go, href, withQuery } from "./route.js";
import { pageKeys } from "./keys.js";
import { curl, quote } from "./curl.js";
import { asked, QueryBar } from "./querybar.js";
import { Table } from "./table.js";
import { Bulk, matching, these } from "./bulk.js";
import { mayWrite } from "./resources.js";

const SIZES = [20, 50, 100, 500];
/** @type {Set<string>} */
const NONE = new Set();

/** Pages that were visited on the way here, by the query they belong to. @type {{of: string, after: string[]}} */
const visited = { of: "", after: [] };

/** A view of a collection is one object: what it is of, and what came. Whatever is done to documents begins with it.
 * @typedef {{path: string[], filter: string, collation: string, documents: any[], ms: number, more: boolean, single: boolean}} View */

export function Documents({ path, children }) {
  const query = route.value.query;
  const pageSize = Number(query.size) || settings.value.pageSize;
  const page = Math.max(1, Number(query.page) || 1);
  const view = query.view || "table";
  const of = JSON.stringify([path, asked(query), pageSize]);
  if (visited.of !== of) Object.assign(visited, { of, after: [] });
  const after = visited.after[page - 2];
  const parameters = { ...asked(query), pagesize: pageSize, ...(page > 1 ? (after ? { after } : { page }) : {}), jsonMode: "shell" };

  const { data, error, busy, again, cancel } = useLoad(
    async signal => {
      const answer = await request("GET", target(dataPath(path), parameters), { signal });
      const found = parse(answer.text);
      const documents = /** @type {any[]} */ (found.a || [found]);
      const next = nextAfter(answer.headers);
      if (next) visited.after[page - 1] = next;
      announce(documents.length, answer.ms);
      return /** @type {View} */ ({ path, filter: query.filter || "", collation: query.collation || "", documents, ms: answer.ms, more: documents.length === pageSize, single: !found.a });
    },
    [of, page],
    [path.join("/")],
  );
  const [selection, setSelection] = useState({ of: /** @type {View|undefined} */ (undefined), ids: /** @type {Set<string>} */ (new Set()) });
  const selected = data && selection.of === data ? selection.ids : NONE;
  const [bulk, setBulk] = useState(/** @type {any} */ (null));
  useEffect(() => {
    if (data?.single) go(href("c", path.slice(0, -1), { doc: idText(data.documents[0]) }), true); // the address is that of a document
  }, [data]);
  const fields = useMemo(() => infer(data?.documents || []), [data]);
  const seen = useRef(fields);
  if (fields.length) seen.current = fields;
  useEffect(() => {
    pageKeys.n = () => mayWrite(path, "create") && !isBucket(path) && go(withQuery({ doc: "new" }));
    return () => delete pageKeys.n;
  }, []);

  const hidden = (query.hide || "").split(",").filter(Boolean);
  const extra = (query.cols || "").split(",").filter(Boolean);
  const columns = [...columnsOf(fields), ...extra.filter((/** @type {string} */ one) => !columnsOf(fields).includes(one))];
  const open = (/** @type {any} */ document) => go(withQuery({ doc: idText(document) }));
  const some = data && data.documents.length > 0 && !data.single;
  const filtered = Boolean(data?.filter);

  return html`
    ${children}
    <${QueryBar} key=${path.join("/")} path=${path} query=${query} fields=${() => seen.current} busy=${busy} refusal=${error?.status === 400 ? error.message : ""} onRun=${again} onChange=${(/** @type {any} */ change) => go(withQuery({ ...change, page: "" }))} />
    <div class="toolbar">
      <${Choice} label="View" value=${view} options=${[["table", "Table"], ["list", "List"], ["text", "Text"]]} onChange=${(/** @type {string} */ id) => go(withQuery({ view: id === "table" ? "" : id }), true)} />
      ${view === "table" && columns.length > 0 && html`<${Columns} columns=${columns} hidden=${hidden} fields=${seen.current} extra=${extra} />`}
      <span class="spring"></span>
      ${data && selected.size > 0 && html`<span class="row selected" role="group" aria-label="Selected documents"><b class="nowrap">${count(selected.size)} selected</b>
        ${mayWrite(path, "bulkUpdate") && html`<${Button} icon="edit" onClick=${() => setBulk({ remove: false, chosen: these(data, picked(data, selected)) })}>Update…</${Button}>`}
        <${Button} icon="download" onClick=${() => save(`${path.at(-1)}.ndjson`, new Blob([picked(data, selected).map((/** @type {any} */ one) => inline(one) + "\n").join("")]))}>Export</${Button}>
        ${mayWrite(path, "bulkDelete") && html`<${Button} icon="trash" kind="danger" onClick=${() => setBulk({ remove: true, chosen: these(data, picked(data, selected)) })}>Delete…</${Button}>`}</span>`}
      ${!selected.size && some && filtered && (mayWrite(path, "bulkUpdate") || mayWrite(path, "bulkDelete")) && html`<${Menu} text="All results" icon="down" label="Actions for all documents that match the filter" items=${[
          mayWrite(path, "bulkUpdate") && { text: "Update all…", icon: "edit", onClick: () => setBulk({ remove: false, chosen: matching(data) }) },
          mayWrite(path, "bulkDelete") && { text: "Delete all…", icon: "trash", danger: true, onClick: () => setBulk({ remove: true, chosen: matching(data) }) },
        ]} />`}
      ${some && html`<${CopyButton} text=${() => curl({ method: "GET", url: address(target(dataPath(path), parameters)) })} label="Copy this query as a curl line">curl</${CopyButton}>`}
      ${mayWrite(path, "create") && error?.status !== 403 && error?.status !== 404 && (isBucket(path) ? html`<${Upload} path=${path} onDone=${again} />` : html`<${Button} icon="plus" kind="primary" onClick=${() => go(withQuery({ doc: "new" }))}>New document</${Button}>`)}
    </div>
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}>${error.status === 403 && config.value.access ? html`<a href="#/access">My rights</a>` : html`<${Button} small icon="refresh" onClick=${again}>Try again</${Button}>`}</${Failure}>`}
      ${!error && data && !some && (filtered
        ? html`<${Empty} icon="search" title="Nothing matches" text=${html`No document of <b>${visible(path.at(-1) || "/")}</b> matches <code>${visible(data.filter)}</code>.`}><${Button} onClick=${() => go(withQuery({ filter: "", page: "" }))}>Remove the filter</${Button}></${Empty}>`
        : page > 1
          ? html`<${Empty} icon="search" title="There are no documents on this page"><${Button} onClick=${() => go(withQuery({ page: "" }))}>To the first page</${Button}></${Empty}>`
          : isBucket(path)
            ? html`<${Empty} icon="collection" title="No files yet" text=${html`Upload the first one here, or with a command:`}><pre class="line">${fileLine(path)}</pre></${Empty}>`
            : html`<${Nothing} path=${path} />`)}
      ${some && view === "table" && html`<${Table} documents=${data.documents} columns=${columns.filter((/** @type {string} */ c) => !hidden.includes(c))} sort=${query.sort} selected=${selected} onSelect=${(/** @type {Set<string>} */ ids) => setSelection({ of: data, ids })} onOpen=${open} onSort=${(/** @type {string} */ sort) => go(withQuery({ sort, page: "" }))} />`}
      ${some && view === "list" && html`<${List} documents=${data.documents} onOpen=${open} />`}
      ${some && view === "text" && html`<pre class="text-view" tabindex="0" aria-label="Documents as text">${data.documents.map((/** @type {any} */ one) => print(one)).join("\n")}</pre>`}
    </${Loading}>
    ${(some || page > 1) && html`<${Pager} key=${JSON.stringify([query.filter, query.collation])} path=${path} page=${page} size=${pageSize} data=${data} filter=${query.filter} collation=${query.collation} />`}
    ${bulk && html`<${Bulk} ...${bulk} onClose=${() => setBulk(null)} onDone=${again} />`}`;
}

/** @param {any} document */
export const idText = document => inline(document.e.find((/** @type {any} */ [name]) => name === "_id")?.[1] ?? { t: "null" });

const picked = (/** @type {View} */ data, /** @type {Set<string>} */ selected) => data.documents.filter((/** @type {any} */ one) => selected.has(idText(one)));

/** Whether the path is one of files, whose documents are made by uploads. @param {string[]} path */
const isBucket = path => Boolean(path.at(-1)?.endsWith(".files"));

const fileLine = (/** @type {string[]} */ path) => `curl -sS -u "$RH_USER" -F 'metadata={"filename": "logo.png"}' -F file=@logo.png ${quote(address(dataPath(path)))}`;

/** Files from this computer, one request each. */
function Upload({ path, onDone }) {
  const input = useRef(/** @type {HTMLInputElement|null} */ (null));
  const [busy, setBusy] = useState(false);
  const send = async (/** @type {File[]} */ files) => {
    setBusy(true);
    try {
      for (const file of files) {
        const body = new FormData();
        body.append("metadata", JSON.stringify({ filename: file.name }));
        body.append("file", file);
        await request("POST", dataPath(path), { body });
      }
      toast(`${plural(files.length, "file")} uploaded`, "good");
    } catch (error) {
      toast(/** @type {any} */ (error).message, "bad");
    } finally {
      setBusy(false);
      onDone();
    }
  };
  return html`<input ref=${input} type="file" multiple hidden aria-label="Files to upload" onChange=${(/** @type {any} */ e) => send([...e.target.files])} />
    <${Button} icon="upload" kind="primary" disabled=${busy} onClick=${() => input.current?.click()}>${busy ? "Uploading…" : "Upload files"}</${Button}>`;
}

const Nothing = ({ path }) => html`
  <${Empty} icon="collection" title="No documents yet" text=${html`Create the first one here, or with a command:`}>
    <div class="stack center">
      <pre class="line">${curl({ method: "POST", url: address(dataPath(path)), headers: { "Content-Type": "application/json" }, body: '{"title": "The Periodic Table"}' })}</pre>
      ${mayWrite(path, "create") && html`<div class="row center"><${Button} kind="primary" icon="plus" onClick=${() => go(withQuery({ doc: "new" }))}>Create a document</${Button}>
        ${config.value.pages.includes("import") && html`<${Button} icon="upload" onClick=${() => go(withQuery({ tab: "transfer" }))}>Import</${Button}>`}</div>`}
    </div>
  </${Empty}>`;

function Columns({ columns, hidden, fields, extra }) {
  const [open, setOpen] = useState(false);
  const nested = fields.filter((/** @type {any} */ field) => field.path.includes(".") && !field.types.object).slice(0, 60).map((/** @type {any} */ field) => field.path);
  const set = (/** @type {string[]} */ hide, /** @type {string[]} */ cols) => go(withQuery({ hide: hide.join(","), cols: cols.join(",") }), true);
  const toggle = (/** @type {string} */ name) => (hidden.includes(name) ? set(hidden.filter((/** @type {string} */ one) => one !== name), extra) : set([...hidden, name], extra));
  const toggleExtra = (/** @type {string} */ name) => (extra.includes(name) ? set(hidden, extra.filter((/** @type {string} */ one) => one !== name)) : set(hidden, [...extra, name]));
  return html`
    <div class="menu" onKeyDown=${(/** @type {KeyboardEvent} */ e) => e.key === "Escape" && setOpen(false)}>
      <${Button} icon="columns" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>Columns${hidden.length ? ` (${hidden.length} hidden)` : ""}</${Button}>
      ${open && html`<div class="menu-list columns" role="group" aria-label="Columns">
        ${columns.filter((/** @type {string} */ one) => !extra.includes(one)).map((/** @type {string} */ name) => html`<label><input type="checkbox" checked=${!hidden.includes(name)} onChange=${() => toggle(name)} />${visible(name)}</label>`)}
        ${nested.length > 0 && html`<p class="quiet small">Nested</p>`}
        ${nested.map((/** @type {string} */ name) => html`<label><input type="checkbox" checked=${extra.includes(name)} onChange=${() => toggleExtra(name)} />${visible(name)}</label>`)}
      </div>`}
    </div>`;
}

function List({ documents, onOpen }) {
  const [all, setAll] = useState(false);
  return html`
    <div class="stack"><div><${Button} small onClick=${() => setAll(!all)}>${all ? "Fold all" : "Expand all"}</${Button}></div>
      ${documents.map((/** @type {any} */ one) => html`<details class="folded" open=${all} key=${idText(one)}><summary><code>${idText(one)}</code><span class="quiet">${inline(one).slice(0, 140)}</span></summary><pre>${print(one)}</pre><${Button} small icon="edit" onClick=${() => onOpen(one)}>Open</${Button}></details>`)}
    </div>`;
}

function Pager({ path, page, size, data, filter, collation }) {
  const [exact, setExact] = useState(/** @type {any} */ (null));
  const [wanted, setWanted] = useState("");
  const estimate = useLoad(async signal => (filter ? null : JSON.parse((await request("GET", target(dataPath(path), { rep: "HAL", np: true, count: "estimated", pagesize: 1, keys: '{"_id":1}' }), { signal, quiet: true })).text)._size ?? null), [path.join("/"), filter]);
  const ask = async () => {
    setExact({ busy: true });
    try {
      const answer = await request("GET", target(dataPath(path) + "/_size", { filter, collation }), { signal: AbortSignal.timeout(30_000) });
      const n = JSON.parse(answer.text)._size;
      setExact({ n, ms: answer.ms });
      announcement.value = plural(n, "document");
    } catch {
      setExact({ failed: true });
    }
  };
  const move = (/** @type {number} */ to) => go(withQuery({ page: to > 1 ? to : "" }));
  const from = (page - 1) * size;
  return html`
    <footer class="pager">
      <span class="nowrap">${data?.documents.length ? `${count(from + 1)}–${count(from + data.documents.length)}` : "0"}
        ${exact?.n !== undefined ? ` of ${count(exact.n)}` : estimate.data != null ? html` of about ${count(estimate.data)}` : ""}</span>
      ${exact?.n === undefined && html`<${Button} small kind="plain" busy=${exact?.busy} onClick=${ask}>${exact?.busy ? "Counting…" : exact?.failed ? "Counting took too long. Try again" : "Count"}</${Button}>`}
      ${data && html`<span class="quiet nowrap">${duration(data.ms)}</span>`}
      <span class="spring"></span>
      <label class="nowrap">Per page <select value=${size} onChange=${(/** @type {any} */ e) => go(withQuery({ size: e.target.value, page: "" }))}>${SIZES.map(n => html`<option value=${n}>${n}</option>`)}</select></label>
      <form class="row tight" onSubmit=${(/** @type {Event} */ e) => (e.preventDefault(), Number(wanted) > 0 && move(Number(wanted)))}>
        <label class="nowrap">Page <input class="narrow" inputmode="numeric" aria-label="Go to page" placeholder=${page} value=${wanted} onInput=${(/** @type {any} */ e) => setWanted(e.target.value.replace(/\D/g, ""))} /></label>
      </form>
      <div class="row tight">
        <${Button} disabled=${page === 1} onClick=${() => move(1)}>First</${Button}>
        <${Button} disabled=${page === 1} onClick=${() => move(page - 1)}>Previous</${Button}>
        <${Button} disabled=${data && !data.more} onClick=${() => move(page + 1)}>Next</${Button}>
      </div>
    </footer>`;
}
