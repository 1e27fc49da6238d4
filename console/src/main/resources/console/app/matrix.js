// "What may … do?": resources by operations; each cell can be asked why.
import { cls, html, useState } from "./dom.js";
import { account, config } from "./state.js";
import { address, request, target } from "./api.js";
import { useLoad } from "./load.js";
import { Button, CopyButton, Dialog, Empty, Failure, Field, Loading } from "./ui.js";
import { Check } from "./explain.js";
import { curl } from "./curl.js";
import { href } from "./route.js";
import { plural, visible } from "./format.js";

/** Operations, and an example of each: its method and what follows the path. @type {[string, string, string, string][]} */
const OPERATIONS = [["read", "Read", "GET", ""], ["create", "Create", "POST", ""], ["update", "Update", "PATCH", "/{id}"], ["delete", "Delete", "DELETE", "/{id}"], ["bulkUpdate", "Update many", "PATCH", "/*?filter={}"], ["bulkDelete", "Delete many", "DELETE", "/*?filter={}"], ["manage", "Manage", "PUT", ""], ["aggregate", "Aggregate", "POST", "/_aggrs"], ["stream", "Listen", "GET", "/_streams/all"]];
/** @type {Record<string, [string, string, string]>} */
const SIGNS = { yes: ["✓", "good", "always"], limited: ["✓ limited", "accent", "limited"], no: ["–", "", "never"], depends: ["◐", "warn", "depends on the request"] };
/** What restrictions of permissions mean. @type {Record<string, string>} */
const LIMITS = { readFilter: "only some documents", writeFilter: "only some documents", projectResponse: "only some fields", mergeRequest: "some fields are set" };

/** How a cell looks, and what is said of it. @param {any} one a resource @param {string} operation @returns {[string, string, string]|null} */
function signOf(one, operation) {
  const answer = one.operations[operation];
  const limits = [...new Set((one.limits?.[operation] || []).map((/** @type {string} */ name) => LIMITS[name] || name))];
  const sign = SIGNS[answer === "yes" && limits.length ? "limited" : answer];
  return sign && [sign[0], sign[1], sign[2] + (limits.length ? ` (${limits.join(", ")})` : "")];
}

export function Matrix() {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState("");
  const [asked, setAsked] = useState({ as: "", roles: "" });
  const [cell, setCell] = useState(/** @type {any} */ (null));
  const where = target(config.value.access, { as: asked.as || undefined, roles: asked.as ? undefined : asked.roles || undefined });
  const { data, error, busy, again, cancel } = useLoad(async signal => JSON.parse((await request("GET", where, { signal })).text), [where]);
  const resources = data?.resources || [];
  const about = asked.as ? { as: asked.as } : asked.roles ? { roles: asked.roles.split(",").map(one => one.trim()).filter(Boolean) } : {};
  const other = Boolean(asked.as || asked.roles);
  return html`
    <form class="toolbar" onSubmit=${(/** @type {Event} */ e) => (e.preventDefault(), setAsked({ as: name.trim(), roles: roles.trim() }))}>
      <${Field} inline label="Rights of the account"><input placeholder=${account.value.name} spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}>
      <${Field} inline label="or of the roles"><input placeholder=${(account.value.roles || []).join(", ") || "yours"} spellcheck=${false} disabled=${Boolean(name.trim())} value=${roles} onInput=${(/** @type {any} */ e) => setRoles(e.target.value)} /></${Field}>
      <button type="submit" class="button primary"><span>Show</span></button>
      ${other && html`<${Button} onClick=${() => (setAsked({ as: "", roles: "" }), setName(""), setRoles(""))}>My rights</${Button}>`}
      <span class="spring"></span><${CopyButton} text=${() => curl({ method: "GET", url: address(where) })} label="Copy as a curl line">curl</${CopyButton}>
    </form>
    <${Loading} busy=${busy} onCancel=${cancel}>
      ${error && html`<${Failure} error=${error}>${error.status === 403 ? html`<span>Only the root role may ask about others.</span>` : html`<${Button} small icon="refresh" onClick=${again}>Try again</${Button}>`}</${Failure}>`}
      ${data && !error && html`<p class="quiet">${asked.roles && !asked.as ? html`An account with ${data.roles.length === 1 ? "the role" : "the roles"} <b>${visible(data.roles.join(", "))}</b>` : html`<b>${visible(data.account || "")}</b>${data.roles.length ? html` (${visible(data.roles.join(", "))})` : ""}`} may do something with ${plural(resources.length, "resource")}.</p>`}
      ${data && !error && resources.length === 0 && html`<${Empty} icon="access" title="No rights" text="No permission gives these roles access to data." />`}
      ${resources.length > 0 && !error && html`
        <div class="panel flush" tabindex="0" role="region" aria-label="Rights by resource and operation"><table class="plain matrix"><thead><tr><th scope="col">Resource</th>${OPERATIONS.map(([, text]) => html`<th scope="col">${text}</th>`)}</tr></thead>
          <tbody>${resources.map((/** @type {any} */ one) => html`<tr key=${one.path}><th scope="row"><a href=${href(one.kind === "database" ? "db" : "c", one.segments)}>${visible(one.path)}</a>${one.kind !== "collection" && html`<span class="quiet small below">${one.kind}</span>`}</th>
            ${OPERATIONS.map(([id, text, method, suffix]) => {
              const sign = signOf(one, id);
              return html`<td>${sign ? html`<button type="button" class=${cls("sign", sign[1])} title=${`${text}: ${sign[2]}. Why?`} aria-label=${`${text} ${visible(one.path)}: ${sign[2]}. Why?`} onClick=${() => setCell({ text, method, path: (one.path === "/" ? "" : one.path) + suffix || "/", shown: one.path })}><span aria-hidden="true">${sign[0]}</span></button>` : ""}</td>`;
            })}</tr>`)}</tbody></table></div>
        <p class="quiet small row"><span><span class="tag good">✓</span> always</span><span><span class="tag accent">✓ limited</span> always, for some documents or fields</span><span><span class="tag warn">◐</span> depends on the request: its filter, content or id</span><span><span class="tag">–</span> never</span><span>Select a cell to see why.</span></p>`}
    </${Loading}>
    <section class="panel stack tight-stack" aria-labelledby="check-one"><div><h2 id="check-one">Check one request</h2><p class="quiet">Shows how the permissions decide about a request${other ? html` for <b>${visible(asked.as || asked.roles)}</b>` : ""}. The request is not executed.</p></div><${Check} key=${JSON.stringify(about)} ...${about} /></section>
    ${cell && html`<${Dialog} title=${`${cell.text} ${visible(cell.shown)}`} wide onClose=${() => setCell(null)}><p class="quiet">This is an example. Change it to the request you mean.</p><${Check} ...${about} begin=${cell} now /></${Dialog}>`}`;
}
