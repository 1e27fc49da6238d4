// What documents of a collection are like: fields by the gateway's own description, and the schema that is enforced.
import { html, useEffect, useState } from "./dom.js";
import { config, toast } from "./state.js";
import { address, ApiError, dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { at, print } from "./shellprint.js";
import { useLoad } from "./load.js";
import { Button, CopyButton, Empty, Failure, Field, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { curl } from "./curl.js";
import { visible } from "./format.js";
import { schemaOf } from "./form.js";
import { fieldsOf, responseSchema } from "./openapi.js";
import { SchemaCheck } from "./schemacheck.js";
import { change, mayWrite, properties } from "./resources.js";

export function Schema({ path }) {
  const where = `${config.value.openapi}${dataPath(path)}`;
  const described = useLoad(async signal => (config.value.openapi ? JSON.parse((await request("GET", where, { signal })).text) : null), [where]);
  const indexes = useLoad(async signal => {
    const answer = await request("GET", dataPath([...path, "_indexes"]), { signal, quiet: true, any: true });
    return answer.status === 200 ? JSON.parse(answer.text) : [];
  }, [path.join("/")]);
  const declared = useLoad(signal => schemaOf(path, signal), [path.join("/")]);
  const must = new Set(declared.data ? requiredOf(declared.data) : []);
  const schema = described.data && responseSchema(described.data, dataPath(path));
  const fields = schema ? fieldsOf(described.data, schema) : [];
  const indexed = (/** @type {string} */ field) => (indexes.data || []).filter((/** @type {any} */ one) => Object.keys({ ...one.key, ...one.weights }).includes(field));
  return html`
    <div class="toolbar"><span class="quiet">From a sample of the documents that you may read, the schema and the indexes.</span><span class="spring"></span><${Button} small icon="refresh" onClick=${described.again}>Refresh</${Button}>${config.value.openapi && html`<${CopyButton} text=${() => curl({ method: "GET", url: address(where) })} label="Copy as a curl line">curl</${CopyButton}>`}</div>
    <${Loading} busy=${described.busy} onCancel=${described.cancel}>
      ${described.error && html`<${Failure} error=${described.error} />`}
      ${!described.busy && !described.error && !fields.length && html`<${Empty} icon="columns" title="No fields are known" text="Fields appear here once there is a schema, or documents that you may read." />`}
      ${fields.length > 0 && html`<div class="panel flush" tabindex="0" role="region" aria-label="Fields"><table class="plain"><thead><tr><th scope="col">Field</th><th scope="col">Types</th><th scope="col">Share</th><th scope="col">Notes</th></tr></thead><tbody>
        ${fields.map(field => html`<tr key=${field.path}><th scope="row" class=${`depth-${Math.min(4, field.depth)}`}><code>${visible(field.name)}</code></th><td><span class="row">${field.types.map(type => html`<span class="tag">${visible(type)}</span>`)}</span></td>
          <td>${field.share === null ? "" : html`<span class="row nowrap-bar"><meter class="share" min="0" max="1" value=${field.share} aria-label=${`Share of ${visible(field.path)}`}></meter><span class="quiet small nowrap">${Math.round(field.share * 100)} %</span></span>`}</td>
          <td><span class="row">${(field.required || must.has(field.path)) && html`<span class="tag warn">required</span>`}${indexed(field.path).map((/** @type {any} */ one) => html`<span class="tag accent" title=${visible(one._id || "")}>${one.unique ? "unique index" : "indexed"}</span>`)}${field.description && html`<span class="quiet small">${visible(field.description)}</span>`}</span></td></tr>`)}</tbody></table></div>`}
    </${Loading}>
    <${Stored} path=${path} onChanged=${() => (declared.again(), described.again())} />`;
}

/** Paths of the fields that every document must have. @param {any} schema @returns {string[]} */
const requiredOf = (schema, prefix = "") => [
  ...(at(schema, "required")?.a || []).map((/** @type {any} */ one) => prefix + one.v),
  ...(at(schema, "properties")?.e || []).flatMap((/** @type {[string, any]} */ [name, one]) => requiredOf(one, `${prefix}${name}.`)),
];

/** The schema store beside the collection. @param {string[]} path */
const storeOf = path => [...path.slice(0, -1), "_schemas"];

function Stored({ path, onChanged }) {
  const meta = useLoad(signal => properties(path, signal), [path.join("/")]);
  const named = at(meta.data?.document || { t: "null" }, "jsonSchema.schemaId")?.v || "";
  const elsewhere = Boolean(at(meta.data?.document || { t: "null" }, "jsonSchema.schemaStoreDb"));
  const [id, setId] = useState("");
  const [text, setText] = useState("");
  const [found, setFound] = useState(/** @type {any} */ (null));
  const [missing, setMissing] = useState(false);
  const [read, setRead] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const where = (/** @type {string} */ name) => dataPath([...storeOf(path), name]);
  useEffect(() => {
    if (!meta.data) return;
    const name = named || path.at(-1) || "";
    setId(name);
    const abort = new AbortController();
    setRead(false);
    request("GET", target(where(name), { jsonMode: "shell" }), { any: true, quiet: true, signal: abort.signal }).then(answer => {
      if (abort.signal.aborted) return;
      if (answer.status !== 200 && answer.status !== 403 && answer.status !== 404) throw new ApiError(answer);
      setRead(true);
      const document = answer.status === 200 ? parse(answer.text) : null;
      if (document?.e) document.e = document.e.filter((/** @type {any} */ [key]) => key !== "_id" && key !== "_etag");
      setMissing(answer.status === 404 && !elsewhere);
      setFound(document ? { tag: answer.headers.get("ETag") } : null);
      setText(document ? print(document) : '{\n  type: "object",\n  required: [],\n  properties: {\n    _id: {},\n    _etag: {}\n  }\n}');
    }).catch(failure => abort.signal.aborted || setError(failure));
    return () => abort.abort();
  }, [meta.data]);
  const save = async () => {
    setError(null);
    try {
      const store = await request("GET", target(dataPath(storeOf(path)), { pagesize: 1 }), { any: true, quiet: true });
      if (store.status === 404) await request("PUT", dataPath(storeOf(path)));
      await request("PUT", target(where(id), { wm: "upsert" }), { headers: { "Content-Type": "application/json", ...(found?.tag ? { "If-Match": found.tag } : {}) }, body: text });
      if (named !== id) await change(path, `{"jsonSchema": {"schemaId": ${JSON.stringify(id)}}}`, meta.data?.tag ?? null);
      toast("The schema is now enforced", "good");
      meta.again();
      onChanged();
    } catch (failure) {
      setError(failure);
    }
  };
  const off = () => change(path, '{"$unset": {"jsonSchema": 1}}', meta.data?.tag ?? null).then(() => (toast("Documents are no longer validated", "good"), meta.again(), onChanged()), setError);
  return html`<section class="panel stack tight-stack" aria-labelledby="stored-schema">
    <div class="toolbar"><h2 id="stored-schema">JSON Schema</h2>${named ? html`<span class=${missing ? "tag bad" : "tag good"}>${missing ? "missing" : "enforced"}: ${visible(named)}</span>` : html`<span class="tag">not enforced</span>`}<span class="spring"></span>${named && !meta.data?.hidden && mayWrite(path, "manage") && html`<${Button} small onClick=${off}>Stop enforcing</${Button}>`}</div>
    ${named && missing
      ? html`<p class="error" role="alert">The schema ${visible(named)} does not exist: every write of a document fails until it does. Save one here, or stop enforcing.</p>`
      : html`<p class="quiet">The gateway refuses documents that do not match, and says where and why.</p>`}
    ${!named && html`<${Field} inline label="Name"><input spellcheck=${false} value=${id} onInput=${(/** @type {any} */ e) => setId(e.target.value)} /></${Field}>`}
    <${Editor} value=${text} onChange=${setText} label="JSON Schema" readOnly=${!mayWrite(path, "manage")} />
    ${(meta.error || error) && html`<${Failure} error=${meta.error || error}><${Button} small icon="refresh" onClick=${() => (setError(null), meta.again())}>Try again</${Button}></${Failure}>`}
    ${text.trim() && !problem(text) && html`<${SchemaCheck} path=${path} schema=${text} />`}
    ${mayWrite(path, "manage") && html`<div class="row"><${Button} kind="primary" disabled=${!read || !meta.data || meta.data.hidden || !id || Boolean(problem(text)) || !text.trim()} onClick=${save}>${named ? "Save" : "Save and enforce"}</${Button}></div>`}
  </section>`;
}
