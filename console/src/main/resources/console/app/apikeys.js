// Keys for programs. The key itself is shown once, when it is made.
import { html, useState } from "./dom.js";
import { account, config, readOnly, toast } from "./state.js";
import { address, dataPath, request } from "./api.js";
import { useLoad } from "./load.js";
import { Button, Confirm, CopyButton, Dialog, Empty, Failure, Field, Loading } from "./ui.js";
import { plural, visible } from "./format.js";

const day = (/** @type {string|undefined} */ time) => (time ? time.slice(0, 10) : "");

export function Keys() {
  const [creating, setCreating] = useState(false);
  const [dropping, setDropping] = useState(/** @type {any} */ (null));
  const where = config.value.apiKeys;
  const { data, error, busy, again, cancel } = useLoad(async signal => JSON.parse((await request("GET", where, { signal })).text), []);
  const change = (/** @type {any} */ one) => request("PATCH", `${where}/${one.handle}`, { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ disabled: !one.disabled }) }).then(() => (toast(one.disabled ? "Enabled" : "Disabled", "good"), again()), failure => toast(failure.message, "bad"));
  return html`
    <div class="toolbar"><span class="quiet">${data?.length ? plural(data.length, "key") : ""}</span><span class="spring"></span>${!readOnly.value && html`<${Button} kind="primary" icon="plus" onClick=${() => setCreating(true)}>New key</${Button}>`}</div>
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}><${Button} small icon="refresh" onClick=${again}>Try again</${Button}></${Failure}>`}
      ${data && !data.length && html`<${Empty} icon="access" title="No keys yet" text="A key lets a program act as an account without its password, until the key expires or is disabled." />`}
      ${data?.length > 0 && html`<div class="panel flush" tabindex="0" role="region" aria-label="Keys"><table class="plain"><thead><tr><th scope="col">Name</th><th scope="col">Account</th><th scope="col">Key</th><th scope="col">Made</th><th scope="col">Ends</th><th scope="col">Last used</th><th scope="col">State</th><th><span class="sr">Actions</span></th></tr></thead><tbody>
        ${data.map((/** @type {any} */ one) => html`<tr key=${one.handle}><th scope="row">${visible(one.name) || html`<span class="quiet">unnamed</span>`}</th><td>${visible(one.account)}</td><td class="mono">${visible(one.hint)}</td><td class="nowrap">${day(one.createdAt)}</td><td class="nowrap">${day(one.expiresAt) || "never"}</td><td class="nowrap">${day(one.lastUsedAt) || "–"}</td>
          <td>${one.disabled ? html`<span class="tag">disabled</span>` : html`<span class="tag good">in use</span>`}</td>
          <td class="right">${!readOnly.value && html`<span class="row end nowrap-bar"><${Button} small onClick=${() => change(one)}>${one.disabled ? "Enable" : "Disable"}</${Button}><${Button} small kind="plain" icon="trash" label=${`Delete the key ${visible(one.name || one.hint)}`} onClick=${() => setDropping(one)} /></span>`}</td></tr>`)}</tbody></table></div>`}
    </${Loading}>
    ${creating && html`<${Create} onClose=${() => (setCreating(false), again())} />`}
    ${dropping && html`<${Confirm} title="Delete this key?" text="Programs that use it are refused at once." action="Delete" onClose=${() => setDropping(null)} onYes=${async () => (await request("DELETE", `${where}/${dropping.handle}`), toast("Deleted", "good"), again())} />`}`;
}

function Create({ onClose }) {
  const [name, setName] = useState("");
  const [who, setWho] = useState(account.value.name);
  const [days, setDays] = useState("90");
  const [made, setMade] = useState(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    try {
      setMade(JSON.parse((await request("POST", config.value.apiKeys, { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name, account: who, days: Number(days) }), secret: true })).text));
    } catch (failure) {
      setError(failure);
    }
  };
  if (made) {
    const line = `curl -sS -H "Authorization: Bearer $RH_KEY" '${address(dataPath([]))}'`;
    return html`<${Dialog} title="Keep this key now" onClose=${onClose}><div class="stack">
      <p>It is shown only once. The gateway stores only its hash.</p>
      <div class="toolbar"><code class="secret">${made.key}</code><span class="spring"></span><${CopyButton} text=${made.key} label="Copy the key">Copy</${CopyButton}></div>
      <div class="field"><span class="label">Used like this</span><div class="toolbar"><pre class="code spring">${line}</pre><${CopyButton} text=${line} label="Copy the curl line" /></div></div>
      <div class="row end"><${Button} kind="primary" onClick=${onClose}>Done</${Button}></div></div></${Dialog}>`;
  }
  return html`<${Dialog} title="New key" onClose=${onClose}><form class="stack" onSubmit=${submit}>
    <${Field} label="Name" hint="The program that uses it."><input required autofocus maxlength="200" value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}>
    <${Field} label="Account" hint="The key has the rights of this account."><input required spellcheck=${false} value=${who} onInput=${(/** @type {any} */ e) => setWho(e.target.value)} /></${Field}>
    <${Field} label="Expires after days"><input required inputmode="numeric" value=${days} onInput=${(/** @type {any} */ e) => setDays(e.target.value.replace(/\D/g, ""))} /></${Field}>
    ${error && html`<${Failure} error=${error} />`}
    <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button primary"><span>Create</span></button></div>
  </form></${Dialog}>`;
}
