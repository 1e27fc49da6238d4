// Documents into files, and files into documents.
import { html, save, useRef, useState } from "./dom.js";
import { config, route, toast } from "./state.js";
import { address, dataPath, request, target } from "./api.js";
import { cell } from "./shellprint.js";
import { Button, Choice, CopyButton, Failure, Field } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { curl } from "./curl.js";
import { count, cut, duration, plural, size, visible } from "./format.js";
import { documentsOf, guard } from "./importing.js";
import { mayWrite } from "./resources.js";

const FORMATS = { ndjson: ["NDJSON", "application/x-ndjson", "ndjson"], csv: ["CSV", "text/csv", "csv"], json: ["JSON array", "application/x-ndjson", "json"], bson: ["BSON", "application/bson", "bson"] };
const LARGEST = 200 << 20;

export const Transfer = ({ path }) => html`
  <div class="columns-2 even">
    ${config.value.pages.includes("export") && html`<${Export} path=${path} />`}
    ${config.value.pages.includes("import") && mayWrite(path, "create") && html`<${Import} path=${path} />`}
  </div>`;

/** A bar, and the words for it. @param {{done: number, of: number|null, text: string, onCancel: () => void}} props */
const Progress = ({ done, of, text, onCancel }) => html`<div class="stack tight-stack"><progress max=${of || 1} value=${of ? done : undefined} aria-label="Progress"></progress><div class="row"><span class="quiet" role="status">${text}</span><span class="spring"></span><${Button} small onClick=${onCancel}>Cancel</${Button}></div></div>`;

function Export({ path }) {
  const [format, setFormat] = useState("ndjson");
  const [filter, setFilter] = useState(route.value.query.filter || "");
  const [keys, setKeys] = useState(route.value.query.keys || "");
  const [safe, setSafe] = useState(true);
  const [state, setState] = useState(/** @type {any} */ (null));
  const control = useRef(/** @type {AbortController|null} */ (null));
  const [, accept, ending] = FORMATS[format];
  const where = target(dataPath(path), { filter: filter.trim() || undefined, keys: keys.trim() || undefined });

  /** Into a file that the person names first: nothing is kept in memory, so that it may be of any size. */
  const stream = async () => {
    const began = performance.now();
    try {
      const file = await (await /** @type {any} */ (window).showSaveFilePicker({ suggestedName: `${path.at(-1) || "data"}.${ending}` })).createWritable();
      control.current = new AbortController();
      const { signal } = control.current;
      setState({ bytes: 0 });
      let bytes = 0;
      const counting = new TransformStream({ transform: (part, to) => (to.enqueue(part), (bytes += part.length), setState({ bytes, ms: performance.now() - began })) });
      const answer = await request("GET", where, { headers: { Accept: accept }, signal, stream: true });
      await answer.response.body.pipeThrough(counting).pipeTo(file, { signal });
      setState({ done: true, bytes, ms: performance.now() - began });
    } catch (error) {
      setState(/** @type {any} */ (error).name === "AbortError" ? { cancelled: true } : { error });
    }
  };
  // only what needs no rewriting on the way
  const streams = "showSaveFilePicker" in window && (format === "ndjson" || format === "bson" || (format === "csv" && !safe));

  const run = async () => {
    control.current = new AbortController();
    const { signal } = control.current;
    const began = performance.now();
    setState({ bytes: 0 });
    try {
      const answer = await request("GET", where, { headers: { Accept: accept }, signal, stream: true });
      const reader = answer.response.body.getReader();
      /** @type {any[]} */
      const parts = [];
      let bytes = 0;
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        bytes += value.length;
        if (bytes > LARGEST) {
          control.current.abort();
          throw new Error(`This is more than ${size(LARGEST)}, which the page keeps in memory: use the curl line, which writes straight to a file.`);
        }
        parts.push(value);
        setState({ bytes, ms: performance.now() - began });
      }
      let blob = new Blob(parts);
      if (format === "csv" && safe) blob = new Blob([guard(await blob.text())]);
      if (format === "json") blob = new Blob(["[", (await blob.text()).trim().split("\n").filter(Boolean).join(",\n"), "]\n"]);
      save(`${path.at(-1) || "data"}.${ending}`, blob);
      setState({ done: true, bytes, ms: performance.now() - began });
    } catch (error) {
      setState(signal.aborted && !(/** @type {any} */ (error).message?.startsWith("This is more")) ? { cancelled: true } : { error });
    }
  };
  const running = state && state.bytes !== undefined && !state.done;
  return html`
    <section class="panel stack" aria-labelledby="export"><h2 id="export">Export</h2>
      <${Choice} label="Format" value=${format} options=${Object.entries(FORMATS).map(([id, [text]]) => [id, text])} onChange=${setFormat} />
      <div class="field"><span class="label">Filter</span><${Editor} line value=${filter} onChange=${setFilter} onRun=${run} label="Filter of the export" hint="everything" /></div>
      <div class="field"><span class="label">Projection</span><${Editor} line value=${keys} onChange=${setKeys} onRun=${run} label="Projection of the export" hint="every field" /></div>
      ${format === "csv" && html`<label class="check"><input type="checkbox" checked=${safe} onChange=${(/** @type {any} */ e) => setSafe(e.target.checked)} /><span>Protect spreadsheets from formulas<span class="hint">Cells that begin with = + - @ get a leading apostrophe.</span></span></label>`}
      ${running && html`<${Progress} done=${0} of=${null} text=${`${size(state.bytes)} in ${duration(state.ms || 0)}`} onCancel=${() => control.current?.abort()} />`}
      ${state?.done && html`<p role="status">${size(state.bytes)} in ${duration(state.ms)}. The browser has saved the file.</p>`}
      ${state?.cancelled && html`<p class="quiet" role="status">Canceled.</p>`}
      ${state?.error && html`<${Failure} error=${state.error} />`}
      <div class="row"><${Button} kind="primary" icon="download" disabled=${running || Boolean(problem(filter)) || Boolean(problem(keys))} onClick=${run}>Export</${Button}>
        ${streams && html`<${Button} disabled=${running || Boolean(problem(filter)) || Boolean(problem(keys))} onClick=${stream}>Save to a file…</${Button}>`}
        <${CopyButton} text=${() => curl({ method: "GET", url: address(where), headers: { Accept: accept } }) + ` -o ${path.at(-1)}.${ending}`} label="Copy as a curl line">curl</${CopyButton}></div>
    </section>`;
}

function Import({ path }) {
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const [separator, setSeparator] = useState("");
  const [types, setTypes] = useState(/** @type {Record<string, string>} */ ({}));
  const [state, setState] = useState(/** @type {any} */ (null));
  const flags = useRef({ paused: false, cancelled: false });
  const read = text ? documentsOf(text, { separator, types, limit: 20 }) : null;
  const choose = async (/** @type {any} */ file) => {
    if (!file) return;
    if (file.size > LARGEST) return toast(`At most ${size(LARGEST)} here: larger files go with curl.`, "bad");
    setName(file.name);
    setText(await file.text());
    setTypes({});
    setState(null);
  };
  const run = async () => {
    const all = documentsOf(text, { separator, types, limit: Infinity });
    Object.assign(flags.current, { paused: false, cancelled: false });
    const result = { stored: 0, there: 0, errors: all.errors, sent: 0, total: all.lines.length };
    setState({ ...result, running: true });
    for (let at = 0; at < all.lines.length && !flags.current.cancelled; ) {
      while (flags.current.paused && !flags.current.cancelled) await new Promise(done => setTimeout(done, 200));
      let bytes = 0;
      let end = at;
      while (end < all.lines.length && end - at < 1000 && (bytes < 1 << 20 || end === at)) bytes += all.lines[end++].text.length;
      const part = all.lines.slice(at, end);
      try {
        const answer = await request("POST", dataPath(path), { headers: { "Content-Type": "application/x-ndjson" }, body: part.map((/** @type {any} */ one) => one.text).join("\n"), quiet: at > 0 });
        const report = JSON.parse(answer.text);
        result.stored += report.inserted || 0;
        for (const error of report.errors || []) {
          if (error.httpStatus === 409) result.there++;
          else result.errors = [...result.errors, { line: part[error.line - 1]?.line ?? 0, message: error.message || `status ${error.httpStatus}` }];
        }
        if (report.complete === false) throw new Error("The gateway could not store all documents of a batch. You can repeat the import: nothing is stored twice.");
      } catch (error) {
        setState({ ...result, error });
        return;
      }
      at = end;
      result.sent = end;
      setState({ ...result, running: true });
    }
    setState({ ...result, cancelled: flags.current.cancelled });
  };
  return html`
    <section class="panel stack" aria-labelledby="import"><h2 id="import">Import</h2>
      <label class="drop" onDragOver=${(/** @type {any} */ e) => e.preventDefault()} onDrop=${(/** @type {any} */ e) => (e.preventDefault(), choose(e.dataTransfer.files[0]))}>
        <input type="file" class="sr" accept=".json,.ndjson,.jsonl,.csv,.tsv,.txt" onChange=${(/** @type {any} */ e) => choose(e.target.files[0])} /><b>${name ? visible(name) : "Choose a file"}</b><span class="quiet">or drop it here: JSON, NDJSON, CSV</span></label>
      ${!name && html`<${Field} label="Or paste"><textarea rows="4" class="mono" spellcheck=${false} value=${text.length < 100_000 ? text : ""} onInput=${(/** @type {any} */ e) => (setText(e.target.value), setState(null))}></textarea></${Field}>`}
      ${read && html`
        <div class="row"><span class="tag accent">${read.format}</span>${read.total !== null && html`<span class="quiet">about ${plural(read.total, "document")}</span>`}${read.format === "CSV" && html`<label class="row tight"><span class="label">Separator</span><select value=${separator} onChange=${(/** @type {any} */ e) => setSeparator(e.target.value)}><option value="">guess</option><option value=",">comma</option><option value=";">semicolon</option><option value=${"\t"}>tab</option></select></label>`}</div>
        ${read.errors.length > 0 && html`<p class="error">Line ${read.errors[0].line}: ${read.errors[0].message}</p>`}
        ${read.rows.length > 0 && html`<div class="panel flush"><table class="plain preview"><thead><tr>${read.columns.map((/** @type {string} */ column) => html`<th scope="col">${visible(column)}${read.format === "CSV" && html`<br /><select aria-label=${`Type of ${column}`} value=${types[column] || read.guessed[column]} onChange=${(/** @type {any} */ e) => setTypes({ ...types, [column]: e.target.value })}>${["text", "number", "boolean", "date", "ObjectId"].map(one => html`<option>${one}</option>`)}</select>`}</th>`)}</tr></thead>
          <tbody>${read.rows.slice(0, 20).map((/** @type {any} */ row) => html`<tr>${read.columns.map((/** @type {string} */ column) => html`<td>${row[column] ? cut(cell(row[column]), 60) : ""}</td>`)}</tr>`)}</tbody></table></div>`}`}
      ${state?.running && html`<${Progress} done=${state.sent} of=${state.total} text=${`${count(state.sent)} of ${count(state.total)}, ${plural(state.errors.length, "error")}`} onCancel=${() => (flags.current.cancelled = true)} /><div><${Button} small onClick=${() => ((flags.current.paused = !flags.current.paused), setState({ ...state }))}>${flags.current.paused ? "Go on" : "Pause"}</${Button}></div>`}
      ${state && !state.running && html`<div role="status"><p><b>${count(state.stored)}</b> stored${state.there ? html`, <b>${count(state.there)}</b> were there already` : ""}${state.errors.length ? html`, <b>${count(state.errors.length)}</b> with errors` : ""}${state.cancelled ? "; cancelled" : ""}.</p></div>`}
      ${state?.error && html`<${Failure} error=${state.error} />`}
      ${state?.errors.length > 0 && !state.running && html`<ul class="small quiet">${state.errors.slice(0, 5).map((/** @type {any} */ one) => html`<li>Line ${one.line}: ${one.message}</li>`)}</ul><div><${Button} small icon="download" onClick=${() => save("errors.csv", new Blob(["line,reason\n", ...state.errors.map((/** @type {any} */ one) => `${one.line},${JSON.stringify(one.message)}\n`)]))}>All errors</${Button}></div>`}
      <div class="row"><${Button} kind="primary" icon="upload" disabled=${!read || !read.rows.length || state?.running} onClick=${run}>Import</${Button}><span class="quiet small">Documents without an _id get one here, so that you can repeat the import without storing anything twice.</span></div>
    </section>`;
}
