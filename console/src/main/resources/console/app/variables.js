// Values for the variables of a pipeline or a stream, one field each.
import { html } from "./dom.js";
import { config } from "./state.js";
import { request } from "./api.js";
import { keyText } from "./shellprint.js";
import { Editor } from "./editor.js";
import { visible } from "./format.js";

/** Names of the variables in a value; those that the gateway sets begin with "@". @param {any} value @returns {string[]} */
export const everyVariable = value =>
  value.t === "array" ? value.a.flatMap(everyVariable) : value.t !== "object" ? [] : value.e.flatMap((/** @type {any} */ [name, inner]) => (name === "$var" ? [inner.t === "array" ? inner.a[0]?.v : inner.v] : everyVariable(inner))).filter(Boolean);

/** Those that the caller sets. @param {any} value */
export const variables = value => everyVariable(value).filter(name => name[0] !== "@");

/** What the gateway's description says of them: a schema by name. @param {string} path of the stored pipeline or stream @param {string} collection its path @param {AbortSignal} signal */
export async function described(path, collection, signal) {
  if (!config.value.openapi) return {};
  const answer = await request("GET", config.value.openapi + collection, { signal, quiet: true, any: true });
  const operation = answer.status === 200 ? JSON.parse(answer.text).paths?.[path]?.get : null;
  return operation?.["x-variables"]?.properties || {};
}

/** @param {{names: string[], schemas: Record<string, any>, given: Record<string, string>, onChange: (given: Record<string, string>) => void, onRun: () => void}} props given: what was typed, by name */
export const Variables = ({ names, schemas, given, onChange, onRun }) => html`
  <div class="variables">${names.map(name => {
    const schema = schemas[name] || {};
    const type = [schema.type || ""].flat().filter(one => one !== "null").join(" or ");
    return html`<div class="field" key=${name}><span class="label">${visible(name)}${type && html` <span class="hint">${type}</span>`}</span>
      <${Editor} key=${type} line value=${given[name] || ""} onChange=${(/** @type {string} */ text) => onChange({ ...given, [name]: text })} onRun=${onRun} label=${`Value of ${name}`} hint=${schema.default !== undefined ? JSON.stringify(schema.default) : type === "string" ? "\"text\"" : type ? "1" : "value"} /></div>`;
  })}</div>`;

/** The parameter that carries the values, or nothing. @param {Record<string, string>} given @param {string[]} names those that are asked for */
export const avarsOf = (given, names) => {
  const pairs = names.filter(name => given[name]?.trim()).map(name => `${keyText(name)}: ${given[name].trim()}`);
  return pairs.length ? `{${pairs.join(", ")}}` : undefined;
};
