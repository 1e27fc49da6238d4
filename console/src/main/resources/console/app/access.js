// Who may do what: resources by operations, for oneself and, as the root role, for any roles.
import { cls, html, useState } from "./dom.js";
import { account, config } from "./state.js";
import { address, request, target } from "./api.js";
import { useLoad } from "./load.js";
import { Button, CopyButton, Empty, Failure, Field, Loading } from "./ui.js";
import { curl } from "./curl.js";
import { href } from "./route.js";
import { plural, visible } from "./format.js";

const OPERATIONS = [["read", "Read"], ["create", "Create"], ["update", "Update"], ["delete", "Delete"], ["bulkUpdate", "Update many"], ["bulkDelete", "Delete many"], ["manage", "Manage"], ["aggregate", "Aggregate"], ["stream", "Listen"]];
const SIGNS = { yes: ["✓", "good", "always"], no: ["–", "", "never"], depends: ["◐", "warn", "depends on the request"] };

export function Access() {
  const [asked, setAsked] = useState("");
  const [roles, setRoles] = useState("");
  const where = target(config.value.access, { roles: roles || undefined });
  const { data, error, busy, again, cancel } = useLoad(async signal => JSON.parse((await request("GET", where, { signal })).text), [where]);
  const resources = data?.resources || [];
  return html`
    <div class="page">
      <div class="page-head"><h1>Access</h1></div>
      <form class="toolbar" onSubmit=${(/** @type {Event} */ e) => (e.preventDefault(), setRoles(asked.trim()))}>
        <${Field} inline label="What may the roles"><input placeholder=${(account.value.roles || []).join(", ") || "yours"} spellcheck=${false} value=${asked} onInput=${(/** @type {any} */ e) => setAsked(e.target.value)} /></${Field}><span class="label">do?</span>
        <button type="submit" class="button primary"><span>Show</span></button>
        ${roles && html`<${Button} onClick=${() => (setRoles(""), setAsked(""))}>Mine</${Button}>`}
        <span class="spring"></span><${CopyButton} text=${() => curl({ method: "GET", url: address(where) })} label="Copy as a curl line">curl</${CopyButton}>
      </form>
      <${Loading} busy=${busy} onCancel=${cancel}>
        ${error && html`<${Failure} error=${error}>${error.status === 403 ? html`<span>Only the root role may ask about other roles.</span>` : html`<${Button} small icon="refresh" onClick=${again}>Try again</${Button}>`}</${Failure}>`}
        ${data && !error && html`<p class="quiet">${roles ? html`An account with ${data.roles.length === 1 ? "the role" : "the roles"} <b>${data.roles.join(", ")}</b>` : html`<b>${visible(data.account || "")}</b>${data.roles.length ? html` (${data.roles.join(", ")})` : ""}`} may do something with ${plural(resources.length, "resource")}.</p>`}
        ${data && !error && resources.length === 0 && html`<${Empty} icon="access" title="Nothing at all" text="No permission lets these roles do anything with the data." />`}
        ${resources.length > 0 && !error && html`
          <div class="panel flush" tabindex="0" role="region" aria-label="Rights by resource and operation"><table class="plain matrix"><thead><tr><th scope="col">Resource</th>${OPERATIONS.map(([, text]) => html`<th scope="col">${text}</th>`)}</tr></thead>
            <tbody>${resources.map((/** @type {any} */ one) => html`<tr key=${one.path}><th scope="row"><a href=${href(one.kind === "database" ? "db" : "c", one.segments)}>${visible(one.path)}</a> <span class="quiet small">${one.kind}</span></th>
              ${OPERATIONS.map(([id]) => {
                const sign = SIGNS[one.operations[id]];
                return html`<td>${sign ? html`<span class=${cls("tag", sign[1])} title=${sign[2]}><span aria-hidden="true">${sign[0]}</span><span class="sr">${sign[2]}</span></span>` : ""}</td>`;
              })}</tr>`)}</tbody></table></div>
          <p class="quiet small"><span class="tag good">✓</span> always  <span class="tag warn">◐</span> depends on the request: on its filter, content or id  <span class="tag">–</span> never</p>`}
      </${Loading}>
    </div>`;
}
