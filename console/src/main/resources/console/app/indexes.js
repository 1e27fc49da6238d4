// The indexes of a collection.
import { html, useState } from "./dom.js";
import { toast } from "./state.js";
import { address, dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { at, inline } from "./shellprint.js";
import { infer } from "./fields.js";
import { completer } from "./complete.js";
import { useLoad } from "./load.js";
import { Button, Confirm, CopyButton, Dialog, Failure, Field, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { curl } from "./curl.js";
import { visible } from "./format.js";
import { mayWrite } from "./resources.js";

const KNOWN = ["v", "key", "_id", "name", "ns", "weights", "textIndexVersion", "2dsphereIndexVersion"];

/** The keys as they were asked for: MongoDB stores those of a text index as `_fts` and `_ftsx`, and their fields as weights.
 * @param {any} one an index @returns {[string, any, string][]} field, kind and what else is known of it */
export const keysOf = one =>
  (at(one, "key")?.e || []).flatMap((/** @type {[string, any]} */ [field, kind]) =>
    field === "_ftsx" ? [] : field === "_fts" ? (at(one, "weights")?.e || []).map((/** @type {[string, any]} */ [name, weight]) => [name === "$**" ? "all text fields" : name, kind, weight.v === "1" ? "" : `weight ${weight.v}`]) : [[field, kind, ""]],
  );

export function Indexes({ path }) {
  const [creating, setCreating] = useState(false);
  const [dropping, setDropping] = useState(/** @type {string|null} */ (null));
  const { data, error, busy, again, cancel } = useLoad(async signal => /** @type {any[]} */ (parse((await request("GET", target(dataPath([...path, "_indexes"]), { jsonMode: "shell" }), { signal })).text).a), [path.join("/")]);
  return html`
    <div class="toolbar"><span class="quiet">With an index, queries and sorts read only the documents they need.</span><span class="spring"></span>
      <${CopyButton} text=${() => curl({ method: "GET", url: address(dataPath([...path, "_indexes"])) })} label="Copy as a curl line">curl</${CopyButton}>
      ${mayWrite(path, "manage") && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>New index</${Button}>`}</div>
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}><${Button} small icon="refresh" onClick=${again}>Try again</${Button}></${Failure}>`}
      ${data && html`<div class="panel flush"><table class="plain"><thead><tr><th scope="col">Name</th><th scope="col">Keys</th><th scope="col">Options</th><th><span class="sr">Actions</span></th></tr></thead><tbody>
        ${data.map(one => {
          const name = at(one, "_id")?.v;
          const options = one.e.filter((/** @type {any} */ [key]) => !KNOWN.includes(key));
          return html`<tr key=${name}><th scope="row">${visible(name)}</th>
            <td><span class="row">${keysOf(one).map(([field, kind, more]) => html`<span class="tag accent">${visible(field)} ${kind.v === "1" || kind.v === "1.0" ? "↑" : /^-1/.test(kind.v) ? "↓" : visible(kind.t === "string" ? kind.v : inline(kind))}${more && `, ${visible(more)}`}</span>`)}</span></td>
            <td><span class="row">${options.map((/** @type {any} */ [key, value]) => html`<span class="tag">${visible(value.t === "bool" && value.v ? key : `${key}: ${inline(value)}`)}</span>`)}</span></td>
            <td class="right">${name !== "_id_" && mayWrite(path, "manage") && html`<${Button} icon="trash" kind="plain" label=${`Drop ${name}`} onClick=${() => setDropping(name)} />`}</td></tr>`;
        })}</tbody></table></div>`}
    </${Loading}>
    ${creating && html`<${Create} path=${path} onClose=${() => setCreating(false)} onDone=${() => (setCreating(false), again())} />`}
    ${dropping && html`<${Confirm} title=${`Drop an index of ${visible(path.join("/") || "/")}?`} text="Queries that use it will read the whole collection until you create it again." word=${dropping} action="Drop" onClose=${() => setDropping(null)} onYes=${async () => (await request("DELETE", dataPath([...path, "_indexes", dropping])), toast("Dropped", "good"), again())} />`}`;
}

function Create({ path, onClose, onDone }) {
  const [fields, setFields] = useState(/** @type {[string, string][]} */ ([["", "1"]]));
  const [name, setName] = useState("");
  const [unique, setUnique] = useState(false);
  const [sparse, setSparse] = useState(false);
  const [ttl, setTtl] = useState("");
  const [own, setOwn] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const sample = useLoad(async signal => infer(/** @type {any} */ (parse((await request("GET", target(dataPath(path), { pagesize: 50, jsonMode: "shell" }), { signal, quiet: true })).text).a)), [path.join("/")]);
  const keys = `{${fields.filter(([field]) => field).map(([field, kind]) => `${JSON.stringify(field)}: ${/^-?1$/.test(kind) ? kind : JSON.stringify(kind)}`).join(", ")}}`;
  const made = `{keys: ${keys}, ops: {${[unique && "unique: true", sparse && "sparse: true", ttl && `expireAfterSeconds: ${Number(ttl)}`].filter(Boolean).join(", ")}}}`;
  const body = own || made;
  const given = name || fields.filter(([field]) => field).map(([field, kind]) => `${field}_${kind}`).join("_");
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await request("PUT", dataPath([...path, "_indexes", given]), { headers: { "Content-Type": "application/json" }, body });
      toast(`“${given}” is created`, "good");
      onDone();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return html`<${Dialog} title="New index" onClose=${onClose}><form class="stack" onSubmit=${submit}>
    <div class="stack tight-stack"><span class="label">Keys, in order</span>
      <datalist id="index-fields">${(sample.data || []).map(field => html`<option value=${field.path}></option>`)}</datalist>
      ${fields.map(([field, kind], i) => html`<div class="row nowrap-bar" key=${i}>
        <input class="spring" required=${!own} list="index-fields" aria-label=${`Field ${i + 1}`} placeholder="field" spellcheck=${false} value=${field} onInput=${(/** @type {any} */ e) => setFields(fields.map((one, n) => (n === i ? [e.target.value, kind] : one)))} />
        <select aria-label=${`Kind of key ${i + 1}`} value=${kind} onChange=${(/** @type {any} */ e) => setFields(fields.map((one, n) => (n === i ? [field, e.target.value] : one)))}>${[["1", "ascending"], ["-1", "descending"], ["text", "text"], ["2dsphere", "2dsphere"], ["hashed", "hashed"]].map(([id, text]) => html`<option value=${id}>${text}</option>`)}</select>
        <${Button} icon="close" kind="plain" label=${`Remove key ${i + 1}`} disabled=${fields.length === 1} onClick=${() => setFields(fields.filter((_, n) => n !== i))} /></div>`)}
      <div><${Button} small icon="plus" onClick=${() => setFields([...fields, ["", "1"]])}>Add field</${Button}></div></div>
    <${Field} label="Name"><input placeholder=${given} spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}>
    <label class="check"><input type="checkbox" checked=${unique} onChange=${(/** @type {any} */ e) => setUnique(e.target.checked)} /><span>Unique<span class="hint">No two documents have the same values.</span></span></label>
    <label class="check"><input type="checkbox" checked=${sparse} onChange=${(/** @type {any} */ e) => setSparse(e.target.checked)} /><span>Sparse<span class="hint">Contains only documents that have the field.</span></span></label>
    <${Field} label="Expire after seconds" hint="Documents are deleted this many seconds after the date in the field."><input inputmode="numeric" value=${ttl} onInput=${(/** @type {any} */ e) => setTtl(e.target.value.replace(/\D/g, ""))} /></${Field}>
    <details><summary>As text</summary><${Editor} value=${body} onChange=${(/** @type {string} */ text) => setOwn(text === made ? "" : text)} label="Index as text" complete=${completer(() => sample.data || [], "keys")} /></details>
    ${error && html`<${Failure} error=${error} />`}
    <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button primary" disabled=${busy || !given || Boolean(problem(body))}><span>${busy ? "Building…" : "Create"}</span></button></div>
  </form></${Dialog}>`;
}
