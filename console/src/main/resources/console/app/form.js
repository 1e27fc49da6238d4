// A form beside the text of a document, for the fields that the collection's schema declares. The text stays what is saved.
import { html } from "./dom.js";
import { dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { at, print, quoted } from "./shellprint.js";
import { useLoad } from "./load.js";
import { Field } from "./ui.js";
import { visible } from "./format.js";
import { properties } from "./resources.js";

const NUMBER = /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/;
const SIMPLE = ["string", "integer", "number", "boolean"];

/** The schema that writes of a collection are held to, or null. @param {string[]} path @param {AbortSignal} signal */
export async function schemaOf(path, signal) {
  const { document } = await properties(path, signal);
  const id = at(document, "jsonSchema.schemaId");
  if (id?.t !== "string") return null;
  const db = at(document, "jsonSchema.schemaStoreDb")?.v;
  if (db && db !== path[0]) return null; // in another database, which has another path
  const answer = await request("GET", target(dataPath([...path.slice(0, -1), "_schemas", id.v]), { jsonMode: "shell" }), { signal, quiet: true, any: true });
  return answer.status === 200 ? parse(answer.text) : null;
}

/** Fields of the schema that one control can hold. @param {any} schema */
const fieldsOf = schema => {
  const required = (at(schema, "required")?.a || []).map((/** @type {any} */ one) => one.v);
  return (at(schema, "properties")?.e || []).flatMap((/** @type {any} */ [name, one]) => {
    const types = [at(one, "type")].flatMap((/** @type {any} */ type) => (type?.t === "array" ? type.a.map((/** @type {any} */ t) => t.v) : type ? [type.v] : [])).filter((/** @type {string} */ type) => type !== "null");
    const values = at(one, "enum")?.a;
    if (name === "_id" || name === "_etag" || name.includes(".") || (!values && !(types.length === 1 && SIMPLE.includes(types[0])))) return [];
    return [{ name, type: types[0] || "", values, hint: at(one, "description")?.v || "", required: required.includes(name) }];
  });
};

/** @param {{path: string[], text: string, fixed: boolean, onChange: (text: string) => void}} props */
export function Form({ path, text, fixed, onChange }) {
  const { data } = useLoad(signal => schemaOf(path, signal), [path.join("/")]);
  const fields = data ? fieldsOf(data) : [];
  if (!fields.length) return null;
  let document = /** @type {any} */ (null);
  try {
    document = parse(text);
  } catch {
    // the text cannot be read now: the form waits until it can
  }
  const usable = document?.t === "object" && !fixed;
  const set = (/** @type {string} */ name, /** @type {string|null} */ spelled) => {
    const e = document.e.map((/** @type {any} */ pair) => [...pair]);
    const found = e.findIndex((/** @type {any} */ [key]) => key === name);
    const before = e[found]?.[1];
    const value = spelled === null ? null : before?.t === "long" && /^-?\d+$/.test(spelled) ? { ...before, v: spelled } : parse(spelled);
    if (value === null) found >= 0 && e.splice(found, 1);
    else if (found >= 0) e[found][1] = value;
    else e.push([name, value]);
    onChange(print({ ...document, e }));
  };
  return html`<section class="panel stack tight-stack" aria-label="Form"><h3>Fields of the schema</h3>
    ${fields.map((/** @type {any} */ field) => html`<${Control} key=${field.name} field=${field} value=${document?.t === "object" ? at(document, field.name) : undefined} usable=${usable} onSet=${(/** @type {string|null} */ spelled) => set(field.name, spelled)} />`)}
    <p class="quiet small">From the JSON Schema of the collection${fields.some((/** @type {any} */ field) => field.required) ? html`; <span class="must" aria-hidden="true">*</span> is required` : ""}. Change other fields in the text.</p></section>`;
}

const shown = (/** @type {any} */ value) => (value === undefined || value.t === "null" ? "" : String(value.v ?? ""));

function Control({ field, value, usable, onSet }) {
  const { name, type, values, hint, required } = field;
  const label = html`${visible(name)}${required ? html` <span class="must" aria-hidden="true">*</span><span class="sr"> (required)</span>` : ""}`;
  const odd = value && value.t !== "null" && (value.t === "object" || value.t === "array" || (type === "string" && value.t !== "string"));
  if (odd) return html`<${Field} label=${label} hint="This value has another type. Change it in the text."><input disabled value="" /></${Field}>`;
  if (values) return html`<${Field} label=${label} hint=${hint}><select disabled=${!usable} onChange=${(/** @type {any} */ e) => onSet(e.target.value || null)}><option value="" selected=${!value}></option>${values.map((/** @type {any} */ one) => html`<option value=${print(one)} selected=${value && print(one) === print(value)}>${visible(one.v ?? print(one))}</option>`)}</select></${Field}>`;
  if (type === "boolean") return html`<label class="check"><input type="checkbox" disabled=${!usable} checked=${value?.v === true} onChange=${(/** @type {any} */ e) => onSet(String(e.target.checked))} /><span>${label}${hint && html`<span class="hint">${hint}</span>`}</span></label>`;
  const numeric = type !== "string";
  return html`<${Field} label=${label} hint=${hint}><input disabled=${!usable} inputmode=${numeric ? "decimal" : null} pattern=${numeric ? NUMBER.source : null} spellcheck=${false} value=${shown(value)}
    onChange=${(/** @type {any} */ e) => (e.target.value === "" ? onSet(null) : numeric ? NUMBER.test(e.target.value) && onSet(e.target.value) : onSet(quoted(e.target.value)))} /></${Field}>`;
}
