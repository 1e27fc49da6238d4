// A permission as a form: what its predicate and its limits say, without their language. The text that comes of it can be edited.
import { html } from "./dom.js";
import { dataPath } from "./api.js";
import { Field } from "./ui.js";
import { isSystem, known } from "./resources.js";
import { keyText, quoted } from "./shellprint.js";

/** @typedef {{path: string, operations: string[], rows: "all"|"own"|"team", field: string, hidden: string}} Rule path: of the collection; field: whom a document belongs to; hidden: names of fields */
/** @typedef {{id: string, text: string, roles: string, rule?: Partial<Rule>, predicate?: string, mongo?: string}} Template rule: of the form; predicate: what no form can say */

/** @type {[string, string, string][]} */
const OPERATIONS = [["read", "Read", ""], ["create", "Create", ""], ["update", "Change", ""], ["delete", "Delete", ""], ["many", "Many at once", "Change and delete by a filter"], ["manage", "Manage", "The collection itself, its indexes and properties"]];
const WRITES = ["read", "create", "update", "delete"];

/** @type {Template[]} */
export const TEMPLATES = [
  { id: "role", text: "A role reads and writes", roles: "", rule: { operations: WRITES } },
  { id: "public", text: "Everybody reads", roles: "$unauthenticated", rule: { operations: ["read"] } },
  { id: "own", text: "Own documents only", roles: "", rule: { operations: WRITES, rows: "own", field: "owner" } },
  { id: "team", text: "Documents of one's teams", roles: "", rule: { operations: ["read", "create", "update"], rows: "team", field: "team" } },
  { id: "fields", text: "Some fields are hidden", roles: "", rule: { operations: ["read"], hidden: "cost" } },
  { id: "signup", text: "Sign-up", roles: "$unauthenticated", predicate: "path('ACCOUNTS') and method(POST) and bson-request-contains(_id, password) and bson-request-whitelist(_id, password)", mongo: '{mergeRequest: {roles: ["member"]}}' },
  { id: "password", text: "Own password", roles: "", predicate: "path-template('ACCOUNTS/{id}') and equals(@user._id, ${id}) and (method(GET) or method(PATCH) and bson-request-whitelist(password))", mongo: "{}" },
];

const decoded = (/** @type {string[]} */ path) => decodeURIComponent(dataPath(path));

/** The collections that a permission can be about. */
const places = () => known().filter(node => node.kind !== "db" && !isSystem(node)).map(node => decoded(node.path));

/** What a template begins with. @param {Template} template @returns {Rule} */
export const ruleOf = template => ({ path: places()[0] || "/", operations: [], rows: "all", field: "owner", hidden: "", ...template.rule });

/** Where accounts are, in a text of a template. @param {string} text */
export const withAccounts = text => text.replaceAll("ACCOUNTS", decoded(known().find(node => node.holds === "accounts")?.path ?? ["users"]));

const namesOf = (/** @type {string} */ text) => text.split(",").map(name => name.trim()).filter(Boolean);

/** @param {string} text of a predicate's argument */
const argument = text => (text.includes("'") ? `"${text}"` : `'${text}'`);

/** @param {Rule} rule */
export function predicateOf({ path, operations, rows, field }) {
  const can = (/** @type {string} */ name) => operations.includes(name);
  const methods = [can("read") && "GET", can("create") && "POST", (can("manage") || (can("create") && can("update"))) && "PUT", (can("update") || can("manage")) && "PATCH", (can("delete") || can("manage")) && "DELETE"].filter(Boolean);
  const sets = rows === "own" && field && (can("create") || can("update"));
  return [`path-prefix(${argument(path)})`, methods.length && `method(${methods.join(", ")})`, sets && `bson-request-blacklist(${field})`].filter(Boolean).join(" and ");
}

/** @param {Rule} rule */
export function limitsOf({ operations, rows, field, hidden }) {
  const can = (/** @type {string} */ name) => operations.includes(name);
  const filter = rows === "own" ? `{${keyText(field)}: "@user._id"}` : `{${keyText(field)}: {$in: "@user.teams"}}`;
  const limited = rows !== "all" && field;
  const fields = namesOf(hidden);
  const parts = [
    limited && can("read") && `readFilter: ${filter}`,
    limited && (can("update") || can("delete") || rows === "team") && `writeFilter: ${filter}`,
    limited && rows === "own" && (can("create") || can("update")) && `mergeRequest: ${filter}`,
    limited && rows === "team" && (can("create") || can("update")) && "checkWritten: true",
    fields.length && `projectResponse: {${fields.map(name => `${/^[\w$]+$/.test(name) ? name : quoted(name)}: 0`).join(", ")}}`,
    can("many") && can("update") && "allowBulkPatch: true",
    can("many") && can("delete") && "allowBulkDelete: true",
    can("manage") && "allowManagementRequests: true",
  ].filter(Boolean);
  return parts.length ? `{\n  ${parts.join(",\n  ")}\n}` : "{}";
}

/** @param {{rule: Rule, onChange: (rule: Rule) => void}} props */
export function RuleForm({ rule, onChange }) {
  const set = (/** @type {Partial<Rule>} */ part) => onChange({ ...rule, ...part });
  const toggle = (/** @type {string} */ name) => set({ operations: rule.operations.includes(name) ? rule.operations.filter(one => one !== name) : [...rule.operations, name] });
  return html`<div class="stack rule-form">
    <datalist id="rule-places">${places().map(place => html`<option value=${place}></option>`)}</datalist>
    <${Field} label="Collection" hint="Its path. Everything below it is included."><input required list="rule-places" spellcheck=${false} value=${rule.path} onInput=${(/** @type {any} */ e) => set({ path: e.target.value })} /></${Field}>
    <div class="field" role="group" aria-label="May"><span class="label">May</span><div class="row checks">${OPERATIONS.map(([id, text, hint]) => html`<label class="check" title=${hint || null}><input type="checkbox" checked=${rule.operations.includes(id)} onChange=${() => toggle(id)} /><span>${text}</span></label>`)}</div></div>
    <div class="fields-2"><${Field} label="Documents"><select value=${rule.rows} onChange=${(/** @type {any} */ e) => set({ rows: e.target.value, field: e.target.value === "team" ? "team" : "owner" })}>${[["all", "all"], ["own", "those that belong to the account"], ["team", "those of the account's teams"]].map(([id, text]) => html`<option value=${id} selected=${id === rule.rows}>${text}</option>`)}</select></${Field}>
      ${rule.rows !== "all" && html`<${Field} label="Whose, by the field" hint=${rule.rows === "own" ? "The gateway sets it to the id of the account." : "It contains one of the account's “teams”."}><input required spellcheck=${false} value=${rule.field} onInput=${(/** @type {any} */ e) => set({ field: e.target.value })} /></${Field}>`}</div>
    <${Field} label="Hidden fields" hint="Separated by commas. Callers cannot filter or sort by them either."><input spellcheck=${false} value=${rule.hidden} onInput=${(/** @type {any} */ e) => set({ hidden: e.target.value })} /></${Field}>
  </div>`;
}
