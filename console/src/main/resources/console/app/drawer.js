// The requests that this page has made, at the bottom.
import { cls, html, useState } from "./dom.js";
import { requests, tryDraft } from "./state.js";
import { Button, CopyButton, Status } from "./ui.js";
import { Icon } from "./icons.js";
import { duration, size } from "./format.js";
import { address, request } from "./api.js";
import { curl } from "./curl.js";
import { go } from "./route.js";

/** @param {any} entry */
export const line = entry => curl({ method: entry.method, url: address(entry.path), headers: entry.headers, body: entry.body });

const open = (/** @type {any} */ entry) => {
  tryDraft.value = { method: entry.method, path: entry.path, headers: entry.headers, body: entry.body || "" };
  go("#/try");
};

const readable = (/** @type {string} */ path) => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

export function Drawer() {
  const [shown, setShown] = useState(false);
  const last = requests.value[0];
  const bad = last && (last.status === 0 || last.status >= 400);
  return html`
    <section class=${cls("drawer", shown && "open")} aria-label="Requests">
      <div class=${cls("drawer-bar", bad && "bad")}>
        <button type="button" class="drawer-toggle" aria-expanded=${String(shown)} onClick=${() => setShown(!shown)}><${Icon} name=${shown ? "down" : "up"} />Requests</button>
        ${last
          ? html`<span class="drawer-last"><b>${last.method}</b> <span class="path">${readable(last.path)}</span></span><${Status} status=${last.status} /><span class="quiet nowrap">${duration(last.ms)}</span>
            <${CopyButton} text=${() => line(last)} label="Copy the last request as a curl line">curl</${CopyButton}>`
          : html`<span class="quiet">None yet</span>`}
      </div>
      ${shown && html`<div class="drawer-list" tabindex="0" role="region" aria-label="The last requests">
        <table>
          <thead><tr><th>Method</th><th>Path</th><th>Status</th><th class="right">Time</th><th class="right">Size</th><th class="right" title="Number of requests that shared one MongoDB command">Coalesced</th><th><span class="sr">Actions</span></th></tr></thead>
          <tbody>${requests.value.map(entry => html`
            <tr key=${entry.id}>
              <td><b>${entry.method}</b></td><td class="path" title=${readable(entry.path)}>${readable(entry.path)}</td><td><${Status} status=${entry.status} /></td>
              <td class="right nowrap">${duration(entry.ms)}</td><td class="right nowrap">${entry.size ? size(entry.size) : ""}</td><td class="right">${entry.coalesced || ""}</td>
              <td class="row tight"><${CopyButton} text=${() => line(entry)} label="Copy as a curl line">curl</${CopyButton}>
                ${entry.method === "GET" && html`<${Button} small kind="plain" icon="refresh" label="Repeat" onClick=${() => request("GET", entry.path, { headers: entry.headers, any: true })} />`}
                <${Button} small kind="plain" icon="send" label="Open in Try" onClick=${() => open(entry)} /></td>
            </tr>`)}</tbody>
        </table>
      </div>`}
    </section>`;
}
