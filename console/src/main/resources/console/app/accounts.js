// Accounts: their names and roles; passwords are set, never read.
import { html, useState } from "./dom.js";
import { account, toast } from "./state.js";
import { address, dataPath, request, target } from "./api.js";
import { useLoad } from "./load.js";
import { Button, Confirm, CopyButton, Dialog, Empty, Failure, Field, Loading } from "./ui.js";
import { curl } from "./curl.js";
import { plural, visible } from "./format.js";
import { mayWrite } from "./resources.js";

const JSON_CONTENT = { "Content-Type": "application/json" };
/** The version that was shown, for writes. @param {any} one @returns {Record<string, string>} */
const ifMatch = one => (one._etag?.$oid ? { "If-Match": one._etag.$oid } : {});
const rolesOf = (/** @type {string} */ text) => [...new Set(text.split(",").map(one => one.trim()).filter(Boolean))];
const STRENGTH = ["very weak", "weak", "fair", "good", "strong"];

/** A rough estimate of how hard a password is to guess, 0 to 4. @param {string} text */
export function strength(text) {
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter(one => one.test(text)).length;
  const bits = new Set(text).size * Math.log2(10 + kinds * 16);
  return text.length < 8 ? 0 : bits < 40 ? 1 : bits < 55 ? 2 : bits < 75 ? 3 : 4;
}

/** @param {{path: string[]}} props of the collection of accounts */
export function Accounts({ path }) {
  const [editing, setEditing] = useState(/** @type {any} */ (null));
  const [dropping, setDropping] = useState(/** @type {any} */ (null));
  const where = target(dataPath(path), { pagesize: 500, sort: "_id", keys: '{"roles":1,"_etag":1}' });
  const { data, error, busy, again, cancel } = useLoad(async signal => JSON.parse((await request("GET", where, { signal })).text), [where]);
  return html`
    <div class="toolbar"><span class="quiet">${data ? plural(data.length, "account") : ""}</span><span class="spring"></span><${CopyButton} text=${() => curl({ method: "GET", url: address(where) })} label="Copy as a curl line">curl</${CopyButton}>
      ${mayWrite(path, "create") && html`<${Button} kind="primary" icon="plus" onClick=${() => setEditing({})}>New account</${Button}>`}</div>
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}><${Button} small icon="refresh" onClick=${again}>Try again</${Button}></${Failure}>`}
      ${data && !data.length && html`<${Empty} icon="user" title="No accounts" text="The first one that you create can sign in at once." />`}
      ${data?.length > 0 && html`<div class="panel flush"><table class="plain"><thead><tr><th scope="col">Account</th><th scope="col">Roles</th><th><span class="sr">Actions</span></th></tr></thead><tbody>
        ${data.map((/** @type {any} */ one) => html`<tr key=${JSON.stringify(one._id)}><th scope="row">${visible(typeof one._id === "string" ? one._id : JSON.stringify(one._id))}${one._id === account.value.name ? html` <span class="tag accent">you</span>` : ""}</th>
          <td><span class="row">${(one.roles || []).map((/** @type {any} */ role) => html`<span class="tag">${visible(role)}</span>`)}${!one.roles?.length && html`<span class="quiet">none</span>`}</span></td>
          <td class="right">${mayWrite(path, "update") && typeof one._id === "string" && html`<span class="row end"><${Button} small kind="plain" icon="edit" label=${`Change ${one._id}`} onClick=${() => setEditing(one)} /><${Button} small kind="plain" icon="trash" label=${`Delete ${one._id}`} onClick=${() => setDropping(one)} /></span>`}</td></tr>`)}</tbody></table></div>`}
    </${Loading}>
    ${editing && html`<${Edit} path=${path} one=${editing} onClose=${() => setEditing(null)} onDone=${() => (setEditing(null), again())} />`}
    ${dropping && html`<${Confirm} title="Delete this account?" text="Its sessions and keys end. Documents that it made stay." word=${dropping._id} action="Delete" onClose=${() => setDropping(null)} onYes=${async () => (await request("DELETE", dataPath([...path, dropping._id]), { headers: ifMatch(dropping) }), toast("Deleted", "good"), again())} />`}`;
}

function Edit({ path, one, onClose, onDone }) {
  const fresh = one._id === undefined;
  const [name, setName] = useState(one._id || "");
  const [roles, setRoles] = useState((one.roles || []).join(", "));
  const [password, setPassword] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const score = strength(password);
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setError(null);
    const part = { roles: rolesOf(roles), ...(password ? { password } : {}) };
    try {
      if (fresh) await request("POST", target(dataPath(path), { wm: "insert" }), { headers: JSON_CONTENT, body: JSON.stringify({ _id: name, ...part }), secret: true });
      else await request("PATCH", dataPath([...path, one._id]), { headers: { ...JSON_CONTENT, ...ifMatch(one) }, body: JSON.stringify(part), secret: true });
      toast(fresh ? `“${visible(name)}” is created` : "Changed", "good");
      onDone();
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<${Dialog} title=${fresh ? "New account" : `Account ${visible(one._id)}`} onClose=${onClose}><form class="stack" onSubmit=${submit}>
    ${fresh && html`<${Field} label="Name"><input required autofocus autocomplete="off" autocapitalize="none" spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}>`}
    <${Field} label="Roles" hint="Separated by commas. If two roles allow a request, the first one decides what is visible."><input autocomplete="off" spellcheck=${false} value=${roles} onInput=${(/** @type {any} */ e) => setRoles(e.target.value)} /></${Field}>
    <${Field} label=${fresh ? "Password" : "New password"} hint=${password ? `${STRENGTH[score]}. The gateway decides whether to accept it` : fresh ? "A few words are better than a few special characters." : "Leave empty to keep the current one, which cannot be shown."}><input type="password" required=${fresh} autocomplete="new-password" value=${password} onInput=${(/** @type {any} */ e) => setPassword(e.target.value)} />${password && html`<meter min="0" max="4" low="2" high="3" optimum="4" value=${score} aria-label="Strength"></meter>`}</${Field}>
    ${error && html`<${Failure} error=${error} />`}
    <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button primary"><span>${fresh ? "Create" : "Save"}</span></button></div>
  </form></${Dialog}>`;
}
