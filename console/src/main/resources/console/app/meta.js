// The properties of a collection as a form and as text, and dropping it.
import { html, useEffect, useState } from "./dom.js";
import { toast } from "./state.js";
import { address, dataPath, request } from "./api.js";
import { at, print, quoted } from "./shellprint.js";
import { useLoad, useShown } from "./load.js";
import { Button, Confirm, CopyButton, Failure, Field, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { curl } from "./curl.js";
import { change, mayWrite, properties, reload } from "./resources.js";
import { go, leaving } from "./route.js";
import { visible } from "./format.js";

const MODES = ["", "plain", "relaxed", "extended", "strict"];
const POLICIES = [["", "as the gateway is configured"], ["REQUIRED", "required"], ["REQUIRED_FOR_DELETE", "required to delete"], ["OPTIONAL", "optional"]];
const withoutOwn = (/** @type {any} */ document) => ({ ...document, e: document.e.filter((/** @type {any} */ [name]) => name !== "_id" && name !== "_etag") });

export function Properties({ path }) {
  const { data, error, busy, again, cancel } = useLoad(signal => properties(path, signal), [path.join("/")]);
  const [text, setText] = useState("{}");
  const [kept, setKept] = useState("{}");
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const [dropping, setDropping] = useState(false);
  const name = path.at(-1) || "/";
  const shown = useShown();
  const writable = mayWrite(path, "manage") && Boolean(data) && !data?.hidden;
  useEffect(() => {
    if (!data) return;
    const printed = print(withoutOwn(data.document));
    setText(printed);
    setKept(printed);
  }, [data]);
  useEffect(() => {
    leaving.ask = text === kept ? null : () => confirm("Your changes on this page will be lost.");
    return () => void (leaving.ask = null);
  }, [text, kept]);
  const done = (/** @type {string} */ words) => (toast(words, "good"), setFailure(null), again(), reload());
  const save = () => request("PUT", dataPath(path), { headers: { "Content-Type": "application/json", ...(data?.tag ? { "If-Match": data.tag } : {}) }, body: text }).then(() => done("Saved"), setFailure);
  const set = (/** @type {string} */ key, /** @type {string|null} */ value) => change(path, value === null ? `{"$unset": {${JSON.stringify(key)}: 1}}` : `{${JSON.stringify(key)}: ${value}}`, data?.tag ?? null).then(() => done("Saved"), setFailure);
  const policy = (/** @type {string} */ key) => at(data?.document || { t: "null" }, `${key}.${"PATCH"}`)?.v ?? at(data?.document || { t: "null" }, key)?.v ?? "";
  const own = (/** @type {string} */ key) => at(data?.document || { t: "null" }, key)?.v ?? "";
  const description = own("descr");
  const hidden = at(data?.document || { t: "null" }, "openapi")?.v === false;
  return html`
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}><${Button} small icon="refresh" onClick=${again}>Try again</${Button}></${Failure}>`}
      ${failure && html`<${Failure} error=${failure}>${failure.status === 412 && html`<${Button} small icon="refresh" onClick=${again}>Reload</${Button}>`}</${Failure}>`}
      ${data && html`<div class="columns-2 even">
        <section class="panel stack" aria-labelledby="prop-form"><h2 id="prop-form">Settings</h2>
          <${Field} label="Description" hint="Shown in the API's documentation."><input disabled=${!writable} value=${description} onChange=${(/** @type {any} */ e) => set("descr", e.target.value ? quoted(e.target.value) : null)} /></${Field}>
          <${Field} label="ETags of documents" hint="Whether writes must send If-Match, so that they change only the version they have read."><select disabled=${!writable} value=${policy("etagDocPolicy")} onChange=${(/** @type {any} */ e) => set("etagDocPolicy", e.target.value ? quoted(e.target.value) : null)}>${POLICIES.map(([id, words]) => html`<option value=${id} selected=${id === policy("etagDocPolicy")}>${words}</option>`)}</select></${Field}>
          <${Field} label="ETag of the collection" hint="The same for the properties of the collection."><select disabled=${!writable} value=${policy("etagPolicy")} onChange=${(/** @type {any} */ e) => set("etagPolicy", e.target.value ? quoted(e.target.value) : null)}>${POLICIES.map(([id, words]) => html`<option value=${id} selected=${id === policy("etagPolicy")}>${words}</option>`)}</select></${Field}>
          ${path.length > 0 && html`
            <${Field} label="Cache-Control of its GETs" hint="What browsers and proxies may keep, such as private, max-age=5."><input disabled=${!writable} value=${own("cacheControl")} onChange=${(/** @type {any} */ e) => set("cacheControl", e.target.value ? quoted(e.target.value) : null)} /></${Field}>
            <${Field} label="JSON of its documents" hint="Plain is what front ends expect: ISO 8601 dates, ids as text."><select disabled=${!writable} value=${own("jsonMode")} onChange=${(/** @type {any} */ e) => set("jsonMode", e.target.value ? quoted(e.target.value) : null)}>${MODES.map(mode => html`<option value=${mode} selected=${mode === own("jsonMode")}>${mode || "as requested"}</option>`)}</select></${Field}>`}
          <label class="check"><input type="checkbox" disabled=${!writable} checked=${!hidden} onChange=${(/** @type {any} */ e) => set("openapi", e.target.checked ? null : "false")} /><span>Describe it in the API's documentation<span class="hint">If not, /_openapi leaves it out.</span></span></label>
        </section>
        <section class="panel stack" aria-labelledby="prop-text"><div class="toolbar"><h2 id="prop-text">All properties</h2><span class="spring"></span><${CopyButton} text=${() => curl({ method: "GET", url: address(dataPath([...path, "_meta"])) })} label="Copy as a curl line">curl</${CopyButton}></div>
          <p class="quiet">Stored pipelines (<code>aggrs</code>), change streams (<code>streams</code>), the schema (<code>jsonSchema</code>), relationships (<code>rels</code>), the collation of queries (<code>mongo.collation</code>), and anything of your own.</p>
          <${Editor} value=${text} onChange=${setText} label="Properties" readOnly=${!writable} />
          ${writable && html`<div class="row"><${Button} kind="primary" disabled=${text === kept || Boolean(problem(text))} onClick=${save}>Save</${Button}>${text !== kept && html`<${Button} onClick=${() => setText(kept)}>Undo</${Button}>`}</div>`}
        </section>
      </div>`}
      ${writable && path.length > 0 && html`<section class="panel toolbar danger-zone" aria-labelledby="drop-coll"><div><h2 id="drop-coll">Drop the collection</h2><p class="quiet">Deletes all its documents and indexes.</p></div><span class="spring"></span><${Button} kind="danger" icon="trash" disabled=${!data} onClick=${() => setDropping(true)}>Drop…</${Button}></section>`}
    </${Loading}>
    ${dropping && html`<${Confirm} title=${`Drop the collection ${visible(path.join("/"))}?`} text="All its documents and indexes are deleted. This cannot be undone." word=${name} action="Drop" onClose=${() => setDropping(false)} onYes=${async () => (await request("DELETE", dataPath(path), data?.tag ? { headers: { "If-Match": data.tag } } : {}), toast("Dropped", "good"), shown() && ((leaving.ask = null), go("#/")), reload())} />`}`;
}
