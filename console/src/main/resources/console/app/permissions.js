// Permissions, in the order in which they are tried, and an editor that says where a predicate cannot be read.
import { html, useEffect, useState } from "./dom.js";
import { config, toast } from "./state.js";
import { address, dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { at, inline, print } from "./shellprint.js";
import { pathOf } from "./ids.js";
import { useLoad } from "./load.js";
import { Button, Choice, Confirm, CopyButton, Dialog, Empty, Failure, Field, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { curl } from "./curl.js";
import { plural, visible } from "./format.js";
import { rightsCompleter } from "./complete.js";
import { infer } from "./fields.js";
import { known, mayWrite } from "./resources.js";
import { Check } from "./explain.js";
import { docsHref } from "./help.js";
import { limitsOf, predicateOf, RuleForm, ruleOf, TEMPLATES, withAccounts } from "./permissionform.js";

const WORDS = ["path('/')", "path-prefix('/')", "path-template('/{tenant}')", "method(GET)", "method(GET, POST)", "qparams-contain(filter)", "qparams-whitelist(page, pagesize)", "bson-request-whitelist(title)", "bson-request-prop-equals(key=status, value=open)", "equals(@user.role, 'x')", "in(value=@user._id, array={a})", "via(rest)", "secure", "true", "and", "or", "not"];
const priority = (/** @type {any} */ one) => Number(at(one, "priority")?.v ?? -Infinity);
const roles = (/** @type {any} */ one) => (at(one, "roles")?.a || []).map((/** @type {any} */ role) => role.v);

const complete = (/** @type {any} */ context) => {
  const word = context.matchBefore(/[a-z-]+/);
  return word || context.explicit ? { from: word ? word.from : context.pos, options: WORDS.map(label => ({ label })) } : null;
};

/** @param {{path: string[]}} props of the collection of permissions */
export function Permissions({ path }) {
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const [dropping, setDropping] = useState(/** @type {any} */ (null));
  const [testing, setTesting] = useState(/** @type {any} */ (null));
  const [role, setRole] = useState("");
  const where = target(dataPath(path), { pagesize: 500, sort: "-_id", jsonMode: "shell" });
  const { data, error, busy, again, cancel } = useLoad(async signal => /** @type {any[]} */ (parse((await request("GET", where, { signal })).text).a), [where]);
  const all = [...new Set((data || []).flatMap(roles))].sort();
  const shown = (data || []).filter(one => !role || roles(one).includes(role)).sort((a, b) => priority(b) - priority(a));
  const flags = (/** @type {any} */ one) => (at(one, "mongo")?.e || []).filter((/** @type {any} */ [, value]) => value.t !== "bool" || value.v);
  return html`
    <div class="toolbar"><label class="row tight"><span class="label">Role</span><select value=${role} onChange=${(/** @type {any} */ e) => setRole(e.target.value)}><option value="">all</option>${all.map(one => html`<option>${one}</option>`)}</select></label><span class="quiet">${data ? plural(shown.length, "permission") : ""}, tried from the highest priority down</span>
      <span class="spring"></span><${CopyButton} text=${() => curl({ method: "GET", url: address(where) })} label="Copy as a curl line">curl</${CopyButton}>
      ${config.value.access && html`<${Button} icon="user" onClick=${() => setTesting({})}>Test as account…</${Button}>`}
      ${mayWrite(path, "create") && html`<${Button} kind="primary" icon="plus" onClick=${() => setEditing({})}>New permission</${Button}>`}</div>
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}><${Button} small icon="refresh" onClick=${again}>Try again</${Button}></${Failure}>`}
      ${data && !data.length && html`<${Empty} icon="access" title="No permissions" text="Only the root role has access." />`}
      ${shown.length > 0 && html`<div class="panel flush" tabindex="0" role="region" aria-label="Permissions"><table class="plain"><thead><tr><th scope="col">Permission</th><th scope="col">Roles</th><th scope="col" class="right">Priority</th><th scope="col">Allows requests where</th><th scope="col">Within</th><th><span class="sr">Actions</span></th></tr></thead><tbody>
        ${shown.map(one => html`<tr key=${inline(at(one, "_id"))}><th scope="row">${visible(at(one, "_id")?.v ?? inline(at(one, "_id")))}</th><td><span class="row">${roles(one).map((/** @type {string} */ name) => html`<span class="tag">${visible(name)}</span>`)}</span></td><td class="right">${visible(at(one, "priority")?.v ?? "–")}</td>
          <td class="long-cell"><code>${visible(at(one, "predicate")?.v ?? "")}</code></td><td><span class="row">${flags(one).map((/** @type {any} */ [name, value]) => html`<span class="tag" title=${visible(inline(value))}>${visible(name)}</span>`)}</span></td>
          <td class="right">${mayWrite(path, "update") && html`<span class="row end nowrap-bar">${config.value.access && html`<${Button} small kind="plain" icon="user" label=${`Test ${inline(at(one, "_id"))} as an account`} onClick=${() => setTesting({ one })} />`}<${Button} small kind="plain" icon="edit" label=${`Change ${inline(at(one, "_id"))}`} onClick=${() => setEditing({ one })} /><${Button} small kind="plain" icon="trash" label=${`Delete ${inline(at(one, "_id"))}`} onClick=${() => setDropping(one)} /></span>`}</td></tr>`)}</tbody></table></div>`}
    </${Loading}>
    ${testing && html`<${Test} one=${testing.one} onClose=${() => setTesting(null)} />`}
    ${editing && html`<${Edit} path=${path} one=${editing.one} onClose=${() => setEditing(null)} onDone=${() => (setEditing(null), again())} />`}
    ${dropping && html`<${Confirm} title=${`Delete the permission ${visible(at(dropping, "_id")?.v ?? inline(at(dropping, "_id")))}?`} text=${html`Requests that only it allows will be refused: <code>${visible(at(dropping, "predicate")?.v ?? "")}</code>`} action="Delete" onClose=${() => setDropping(null)} onYes=${async () => (await request("DELETE", place(path, dropping), { headers: ifMatch(dropping) }), toast("Deleted", "good"), again())} />`}`;
}

/** The version that was shown, for writes. @param {any} one @returns {Record<string, string>} */
const ifMatch = one => (at(one, "_etag")?.t === "oid" ? { "If-Match": at(one, "_etag").v } : {});

/** Where a permission is. @param {string[]} path @param {any} one */
const place = (path, one) => {
  const id = pathOf(at(one, "_id"));
  return target(dataPath([...path, id?.segment ?? ""]), id?.query || {});
};

/** The path of the data that a predicate is about, as far as it names one. @param {string} predicate */
const aboutOf = predicate => /\bpath(?:-prefix|-template)?\(\s*['"]\/([^'"{}*]+)/.exec(predicate)?.[1].split("/").filter(Boolean).join("/") || "";

/** Asks as somebody else whether a request is allowed. @param {{one: any, onClose: () => void}} props one: the permission that it begins with, if any */
function Test({ one, onClose }) {
  const its = one ? roles(one) : [];
  const [who, setWho] = useState("");
  const accounts = known().find(node => node.holds === "accounts");
  const { data } = useLoad(async signal => (accounts ? JSON.parse((await request("GET", target(dataPath(accounts.path), { pagesize: 1000, keys: '{"roles":1}' }), { signal, quiet: true })).text) : []), []);
  const names = (data || []).filter((/** @type {any} */ account) => !its.length || account.roles?.some((/** @type {string} */ role) => its.includes(role))).map((/** @type {any} */ account) => account._id).filter((/** @type {any} */ name) => typeof name === "string");
  const predicate = String((one && at(one, "predicate")?.v) ?? "");
  const begin = { method: /\bmethod\(\s*([A-Z]+)/.exec(predicate)?.[1] || "GET", path: "/" + aboutOf(predicate) };
  const about = who ? { as: who } : { roles: its };
  return html`<${Dialog} title="Test as an account" wide onClose=${onClose}>
    <${Field} label="Account" hint="The gateway says how it would decide by the stored permissions. The request is not executed."><select value=${who} onChange=${(/** @type {any} */ e) => setWho(e.target.value)}>${(its.length > 0 || !who) && html`<option value="">${its.length ? `any with ${its.length > 1 ? "these roles" : "the role"} ${its.map(visible).join(", ")}` : ""}</option>`}${names.map((/** @type {string} */ name) => html`<option value=${name}>${visible(name)}</option>`)}</select></${Field}>
    ${(who || its.length > 0) && html`<${Check} key=${who} ...${about} begin=${begin} now />`}
  </${Dialog}>`;
}

function Edit({ path, one, onClose, onDone }) {
  const [name, setName] = useState("");
  const [to, setTo] = useState(one ? roles(one).join(", ") : "");
  const [rank, setRank] = useState(one ? String(at(one, "priority")?.v ?? "") : "100");
  const [rule, setRule] = useState(() => ruleOf(TEMPLATES[0]));
  const [asText, setAsText] = useState(Boolean(one));
  const [predicate, setPredicate] = useState(() => (one ? String(at(one, "predicate")?.v ?? "") : predicateOf(rule)));
  const [mongo, setMongo] = useState(() => (!one ? limitsOf(rule) : at(one, "mongo") ? print(at(one, "mongo")) : "{}"));
  const form = (/** @type {import("./permissionform.js").Rule} */ next) => (setRule(next), setPredicate(predicateOf(next)), setMongo(limitsOf(next)), setAsText(false));
  const begin = (/** @type {import("./permissionform.js").Template} */ template) => {
    setTo(template.roles);
    if (!template.predicate) return form(ruleOf(template));
    setPredicate(withAccounts(template.predicate));
    setMongo(template.mongo || "{}");
    return setAsText(true);
  };
  const [fault, setFault] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const unreadable = Boolean(problem(mongo));
  const about = aboutOf(predicate);
  const sample = useLoad(async signal => {
    const answer = about ? await request("GET", target(dataPath(about.split("/")), { pagesize: 50, jsonMode: "shell" }), { signal, quiet: true, any: true }) : null;
    const found = answer?.status === 200 ? parse(answer.text).a : null;
    return found ? infer(found) : [];
  }, [about]);
  useEffect(() => {
    if (unreadable) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      const body = `{"predicate": ${JSON.stringify(predicate)}, "mongo": ${mongo.trim() || "{}"}}`;
      const answer = await request("POST", config.value.access + "/parse", { headers: { "Content-Type": "application/json" }, body, quiet: true, any: true, signal: abort.signal }).catch(() => null);
      if (answer?.status === 200) setFault(JSON.parse(answer.text).ok ? null : JSON.parse(answer.text));
    }, 250);
    return () => (clearTimeout(timer), abort.abort());
  }, [predicate, mongo]);
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setError(null);
    const list = to.split(",").map(role => role.trim()).filter(Boolean);
    const part = `"roles": ${JSON.stringify(list)}, ${rank.trim() ? `"priority": ${Number(rank)}, ` : ""}"predicate": ${JSON.stringify(predicate)}, "mongo": ${mongo.trim() || "{}"}`;
    try {
      if (one) await request("PATCH", place(path, one), { headers: { "Content-Type": "application/json", ...ifMatch(one) }, body: `{${part}}` });
      else await request("POST", target(dataPath(path), { wm: "insert" }), { headers: { "Content-Type": "application/json" }, body: `{${name ? `"_id": ${JSON.stringify(name)}, ` : ""}${part}}` });
      toast(one ? "Changed" : "Created", "good");
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  const marks = fault?.position !== undefined ? [{ from: Math.max(0, Math.min(fault.position, predicate.length - 1)), to: Math.min(predicate.length, fault.position + 1), message: fault.error, severity: "error" }] : [];
  return html`<${Dialog} title=${one ? `Permission ${visible(inline(at(one, "_id")))}` : "New permission"} wide onClose=${onClose}><form class="stack" onSubmit=${submit}>
    ${!one && html`<div class="fields-2 even"><${Field} label="Template"><select onChange=${(/** @type {any} */ e) => begin(TEMPLATES[e.target.selectedIndex])}>${TEMPLATES.map(template => html`<option>${template.text}</option>`)}</select></${Field}>
      <${Field} label="Name" hint="Leave empty to get a generated one."><input autocomplete="off" spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}></div>`}
    <div class="fields-2"><${Field} label="Roles" hint="Separated by commas. $unauthenticated stands for callers without an account."><input required spellcheck=${false} value=${to} onInput=${(/** @type {any} */ e) => setTo(e.target.value)} /></${Field}>
      <${Field} label="Priority" hint="Higher ones are tried first."><input inputmode="decimal" pattern="-?[0-9.]*" value=${rank} onInput=${(/** @type {any} */ e) => setRank(e.target.value)} /></${Field}></div>
    ${!one && html`<div class="row"><${Choice} label="Edit as" value=${asText ? "text" : "form"} options=${[["form", "Form"], ["text", "Text"]]} onChange=${(/** @type {string} */ id) => (id === "text" ? setAsText(true) : form(rule))} />${asText && html`<span class="quiet small">The form still has its last values.</span>`}</div>`}
    ${!asText && html`<${RuleForm} rule=${rule} onChange=${form} /><pre class="code" aria-label="What the form says">${predicate}${mongo === "{}" ? "" : `\n${mongo}`}</pre>${fault && html`<span class="error" role="alert">${visible(fault.error)}</span>`}`}
    ${asText && html`<div class="field"><span class="label">Predicate</span><${Editor} plain value=${predicate} onChange=${setPredicate} label="Predicate" complete=${complete} marks=${marks} />
      ${fault ? html`<span class="error" role="alert">${visible(fault.error)}${fault.position !== undefined ? html`<br /><code class="where">${visible(predicate.slice(0, fault.position))}<mark>${visible(predicate.slice(fault.position, fault.position + 1) || "␣")}</mark>${visible(predicate.slice(fault.position + 1))}</code>` : ""}</span>` : html`<span class="hint">The predicate is valid. <a href=${docsHref("reference/rules", "predicates")}>All predicates and variables</a></span>`}</div>`}
    ${asText && html`<div class="field"><span class="label">Limits and rights on data (mongo)</span><${Editor} value=${mongo} onChange=${setMongo} label="Limits and rights" hint="{ readFilter: { owner: '@user._id' } }" complete=${rightsCompleter(() => sample.data || [])} /></div>`}
    ${error && html`<${Failure} error=${error} />`}
    <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button primary" disabled=${Boolean(fault) || unreadable}><span>${one ? "Save" : "Create"}</span></button></div>
  </form></${Dialog}>`;
}
