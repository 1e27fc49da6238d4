// A filter as rows of field, operator and value, beside its text: each is made from the other.
import { html, useRef, useState } from "./dom.js";
import { Button } from "./ui.js";
import { mainType } from "./fields.js";
import { parse } from "./shell.js";
import { inline, keyText, quoted, scalar } from "./shellprint.js";

/** @typedef {{field: string, operator: string, value: string, type: string}} Condition type: of the value, by its name in shell.js */

/** @type {[string, string][]} */
const OPERATORS = [["$eq", "is"], ["$ne", "is not"], ["$gt", "is greater than"], ["$gte", "is at least"], ["$lt", "is less than"], ["$lte", "is at most"], ["contains", "contains"], ["begins", "begins with"], ["$in", "is one of"], ["exists", "exists"], ["missing", "does not exist"]];
const COMPARISONS = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in"];
const NUMBER = /^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/;
const NUMBERS = ["int", "long", "double", "decimal"];
const SPECIAL = /[.*+?^${}()|[\]\\]/g;
const valueless = (/** @type {string} */ operator) => operator === "exists" || operator === "missing";

/** What a person typed, as a value of the type if it can be one. @param {string} typed @param {string} type */
function spelled(typed, type) {
  const text = type === "string" ? typed : typed.trim();
  if (type === "string") return quoted(text);
  if (type === "date" && !Number.isNaN(Date.parse(text))) return `ISODate(${quoted(new Date(text).toISOString())})`;
  if (/^[0-9a-f]{24}$/i.test(text) && type === "oid") return `ObjectId("${text}")`;
  if (NUMBER.test(text)) return String(Number(text)) === text || !NUMBERS.includes(type) ? text : type === "decimal" ? `NumberDecimal("${text}")` : type === "long" && /^-?\d+$/.test(text) ? `NumberLong("${text}")` : text;
  return /^(true|false|null)$/.test(text) ? text : quoted(text);
}

/** The parts of a list; a comma within a part stands behind a backslash. @param {string} typed */
const listed = typed => (typed.match(/(?:\\.|[^,\\])+/g) || []).map(part => part.trim().replace(/\\(.)/g, "$1")).filter(Boolean);

/** @param {Condition} one */
function test({ operator, value, type }) {
  const escaped = value.replace(SPECIAL, "\\$&");
  if (operator === "exists" || operator === "missing") return `{$exists: ${operator === "exists"}}`;
  if (operator === "contains") return scalar({ t: "regex", v: escaped, o: "i" });
  if (operator === "begins") return scalar({ t: "regex", v: "^" + escaped, o: "" });
  if (operator === "$in") return `{$in: [${listed(value).map(part => spelled(part, type)).join(", ")}]}`;
  return operator === "$eq" ? spelled(value, type) : `{${operator}: ${spelled(value, type)}}`;
}

/** The filter that conditions make; those that are not complete are left out. @param {Condition[]} conditions @param {boolean} any whether one of them is enough */
export function filterOf(conditions, any) {
  const complete = conditions.filter(one => one.field && (valueless(one.operator) || one.value !== ""));
  const parts = complete.map(one => `${keyText(one.field)}: ${test(one)}`);
  if (!parts.length) return "";
  if (any && parts.length > 1) return `{$or: [${parts.map(part => `{${part}}`).join(", ")}]}`;
  return new Set(complete.map(one => one.field)).size === parts.length ? `{${parts.join(", ")}}` : `{$and: [${parts.map(part => `{${part}}`).join(", ")}]}`;
}

/** The text of a value in a row, or null where no row can show it. @param {any} value */
function shown(value) {
  if (value.t === "date") return new Date(value.v).toISOString();
  if (["string", "oid", ...NUMBERS].includes(value.t)) return String(value.v);
  return value.t === "bool" || value.t === "null" ? inline(value) : null;
}

/** @param {string} field @param {any} value @returns {Condition[]|null} */
function fromTest(field, value) {
  const simple = (/** @type {string} */ operator, /** @type {any} */ of) => {
    if (operator === "$in") {
      const parts = of.t === "array" ? of.a.map(shown) : [null];
      return parts.includes(null) || new Set(of.a.map((/** @type {any} */ one) => one.t)).size > 1 ? null : { field, operator, value: parts.map((/** @type {string} */ part) => part.replace(/[\\,]/g, "\\$&")).join(", "), type: of.a[0]?.t || "string" };
    }
    const text = shown(of);
    return text === null || text === "" ? null : { field, operator, value: text, type: of.t };
  };
  if (value.t === "regex") {
    const begins = value.v[0] === "^" && value.o === "";
    const text = (begins ? value.v.slice(1) : value.v).replace(/\\(.)/g, "$1");
    return (begins || value.o === "i") && text.replace(SPECIAL, "\\$&") === (begins ? value.v.slice(1) : value.v) ? [{ field, operator: begins ? "begins" : "contains", value: text, type: "string" }] : null;
  }
  if (value.t !== "object") return collect([simple("$eq", value)]);
  return value.e.length ? collect(value.e.map((/** @type {[string, any]} */ [name, of]) => (name === "$exists" && of.t === "bool" ? { field, operator: of.v ? "exists" : "missing", value: "", type: "string" } : COMPARISONS.includes(name) ? simple(name, of) : null))) : null;
}

const collect = (/** @type {any[]} */ list) => (list.includes(null) ? null : list.flat());

/** The conditions that a filter consists of, or null where it is more than that. @param {string} text @returns {{list: Condition[], any: boolean}|null} */
export function conditionsOf(text) {
  const members = (/** @type {any} */ object) => (object.t === "object" ? collect(object.e.map((/** @type {[string, any]} */ [name, value]) => (name[0] === "$" ? null : fromTest(name, value)))) : null);
  try {
    const whole = /** @type {any} */ (text.trim() ? parse(text) : { t: "object", e: [] });
    if (whole.t !== "object") return null;
    const [[name, value] = ["", null]] = whole.e;
    const joined = whole.e.length === 1 && (name === "$or" || name === "$and") && value?.t === "array";
    const list = joined ? collect(value.a.map((/** @type {any} */ one) => (name === "$or" && one.e?.length !== 1 ? null : members(one)))) : members(whole);
    const any = joined && name === "$or";
    return list && (!any || list.length === value.a.length) ? { list, any } : null;
  } catch {
    return null;
  }
}

const EMPTY = { field: "", operator: "$eq", value: "", type: "string" };

/** @param {{filter: string, fields: any[], onChange: (filter: string) => void, onRun: () => void}} props */
export function Conditions({ filter, fields, onChange, onRun }) {
  const [rows, setRows] = useState(/** @type {Condition[]} */ ([]));
  const [any, setAny] = useState(false);
  const made = useRef(/** @type {string|null} */ (null));
  const read = filter === made.current ? { list: rows, any } : conditionsOf(filter);
  const set = (/** @type {Condition[]} */ next, /** @type {boolean} */ one) => {
    setRows(next);
    setAny(one);
    onChange((made.current = filterOf(next, one)));
  };
  if (!read) return html`<p class="quiet small conditions">Conditions cannot show all of this filter. Run uses its text as it is. <${Button} small onClick=${() => set([EMPTY], false)}>Start over</${Button}></p>`;
  const list = read.list.length ? read.list : [EMPTY];
  const change = (/** @type {number} */ i, /** @type {Partial<Condition>} */ part) => set(list.map((one, n) => (n === i ? { ...one, ...part } : one)), read.any);
  const typeOf = (/** @type {string} */ path) => mainType(fields.find(field => field.path === path)) || "";
  return html`<div class="conditions" role="group" aria-label="Conditions" onKeyDown=${(/** @type {any} */ e) => e.key === "Enter" && e.target.tagName === "INPUT" && onRun()}>
    <datalist id="condition-fields">${fields.map(field => html`<option value=${field.path}></option>`)}</datalist>
    ${list.map((one, i) => html`<div class="condition" key=${i}>
      <span class="quiet small">${i === 0 ? "where" : i === 1 ? html`<select aria-label="Combine conditions by" value=${read.any ? "or" : "and"} onChange=${(/** @type {any} */ e) => set(list, e.target.value === "or")}><option>and</option><option>or</option></select>` : read.any ? "or" : "and"}</span>
      <input list="condition-fields" aria-label=${`Field of condition ${i + 1}`} placeholder="field" spellcheck=${false} value=${one.field} onInput=${(/** @type {any} */ e) => change(i, { field: e.target.value, type: typeOf(e.target.value) })} />
      <select aria-label=${`Operator of condition ${i + 1}`} value=${one.operator} onChange=${(/** @type {any} */ e) => change(i, { operator: e.target.value })}>${OPERATORS.map(([id, text]) => html`<option value=${id} selected=${id === one.operator}>${text}</option>`)}</select>
      ${valueless(one.operator) ? html`<span></span>` : one.type === "bool" ? html`<select aria-label=${`Value of condition ${i + 1}`} value=${one.value} onChange=${(/** @type {any} */ e) => change(i, { value: e.target.value })}><option value=""></option><option>true</option><option>false</option></select>` : html`<input aria-label=${`Value of condition ${i + 1}`} placeholder=${one.operator === "$in" ? "value, value" : one.type === "date" ? "2026-01-31" : "value"} spellcheck=${false} value=${one.value} onInput=${(/** @type {any} */ e) => change(i, { value: e.target.value })} />`}
      <${Button} icon="close" kind="plain" small label=${`Remove condition ${i + 1}`} onClick=${() => set(list.filter((_, n) => n !== i), read.any)} /></div>`)}
    <div class="row"><${Button} small icon="plus" onClick=${() => set([...list, EMPTY], read.any)}>Add condition</${Button}></div>
  </div>`;
}
