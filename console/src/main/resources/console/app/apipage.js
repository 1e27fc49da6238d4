// The gateway's OpenAPI document as pages; each operation opens in "Try".
import { cls, html, save, useState } from "./dom.js";
import { config, route, tryDraft } from "./state.js";
import { address, request } from "./api.js";
import { useLoad } from "./load.js";
import { Button, CopyButton, Empty, Failure, Field, Loading } from "./ui.js";
import { Icon } from "./icons.js";
import { curl } from "./curl.js";
import { go } from "./route.js";
import { Help } from "./help.js";
import { plural, visible } from "./format.js";
import { example, fieldsOf, nameOf, operations, resolve, typesOf } from "./openapi.js";

export function Api() {
  const [wanted, setWanted] = useState(route.value.query.q || "");
  const [open, setOpen] = useState("");
  const where = config.value.openapi;
  const { data, error, busy, again, cancel } = useLoad(async signal => JSON.parse((await request("GET", where, { signal })).text), [where]);
  const words = wanted.trim().toLowerCase().split(/\s+/);
  const all = data ? operations(data).filter(one => words.every(word => `${one.method} ${one.path} ${one.summary} ${one.tag}`.toLowerCase().includes(word))) : [];
  const tags = [...new Set(all.map(one => one.tag))];
  return html`
    <div class="page">
      <div class="page-head"><h1>API</h1><span class="spring"></span><${Help} page="reference/openapi" about="OpenAPI" /></div>
      <div class="toolbar"><${Field} inline label="Find"><input type="search" placeholder="books, PATCH, index…" value=${wanted} onInput=${(/** @type {any} */ e) => setWanted(e.target.value)} /></${Field}><span class="quiet">${data ? plural(all.length, "operation") : ""}</span><span class="spring"></span>
        <${CopyButton} text=${() => curl({ method: "GET", url: address(where) })} label="Copy as a curl line">curl</${CopyButton}>${data && html`<${Button} small icon="download" onClick=${() => save("openapi.json", new Blob([JSON.stringify(data, null, 2)]))}>openapi.json</${Button}>`}</div>
      <p class="quiet">${data ? visible(data.info.description || "") : ""}. Requests that are not listed are refused. <code>${where}</code> is this description as OpenAPI ${data?.openapi || "3.1"}, for client generators and test tools.</p>
      <${Loading} busy=${busy} onCancel=${cancel}>
        ${error && html`<${Failure} error=${error}><${Button} small icon="refresh" onClick=${again}>Try again</${Button}></${Failure}>`}
        ${data && !all.length && html`<${Empty} icon="search" title="Nothing matches" text=${html`No operation has all of <code>${visible(wanted)}</code> in its method, path and title.`}><${Button} onClick=${() => setWanted("")}>Show all</${Button}></${Empty}>`}
        ${tags.map(tag => html`<section class="stack tight-stack" key=${tag} aria-label=${visible(tag)}><h2>${tag === "/" ? "The database" : visible(tag)}</h2><div class="operations">
          ${all.filter(one => one.tag === tag).map(one => html`<div class="operation" key=${one.id}>
            <button type="button" aria-expanded=${String(open === one.id)} onClick=${() => setOpen(open === one.id ? "" : one.id)}><span class=${cls("method", one.method.toLowerCase())}>${one.method}</span><code>${visible(one.path)}</code><span class="quiet rest">${visible(one.summary)}</span><span class=${cls("twist", open === one.id && "open")}><${Icon} name="chevron" /></span></button>
            ${open === one.id && html`<${Operation} document=${data} one=${one} />`}</div>`)}</div></section>`)}
      </${Loading}>
    </div>`;
}

/** Markdown's code as code, everything else as text. @param {string} text */
const marked = text => text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? html`<code>${visible(part)}</code>` : visible(part)));

/** The schema of the content that is JSON. @param {any} holder */
const schemaOf = holder => holder?.content?.["application/json"]?.schema ?? Object.values(holder?.content || {})[0]?.schema;

function Operation({ document, one }) {
  const own = one.parameters.filter((/** @type {any} */ parameter) => parameter.in !== "path");
  const body = schemaOf(one.body);
  const wanted = body && (resolve(document, body).anyOf?.[0] ?? body);
  const attempt = () => {
    const made = wanted ? example(document, wanted) : null;
    tryDraft.value = { method: one.method, path: one.path, headers: {}, body: made && typeof made === "object" ? JSON.stringify(made, null, 2) : "", documented: own };
    go("#/try");
  };
  return html`<div class="operation-body stack tight-stack">
    ${one.description && html`<p>${marked(one.description)}</p>`}
    ${own.length > 0 && html`<div class="scroll" tabindex="0" role="region" aria-label="Parameters"><table class="plain"><thead><tr><th scope="col">Parameter</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>
      ${own.map((/** @type {any} */ parameter) => html`<tr key=${parameter.name}><th scope="row"><code>${visible(parameter.name)}</code>${parameter.required && html` <span class="tag accent">required</span>`}</th><td class="quiet">${parameter.in}</td><td>${typesOf(document, parameter.schema || {}).join(", ")}</td><td class="quiet">${marked(parameter.description || "")}</td></tr>`)}</tbody></table></div>`}
    ${body && html`<div><h3>Body ${nameOf(wanted) ? html`<span class="quiet">${visible(nameOf(wanted) || "")}</span>` : ""}</h3><${Fields} document=${document} schema=${wanted} /></div>`}
    <div><h3>Responses</h3><ul class="answers">${one.responses.map((/** @type {[string, any]} */ [status, answer]) => html`<li><span class=${`status s${status[0]}`}>${status}</span><span>${visible(answer.description || "")}${nameOf(schemaOf(answer)) ? html` <code>${visible(nameOf(schemaOf(answer)) || "")}</code>` : ""}</span></li>`)}</ul></div>
    <div class="row"><${Button} kind="primary" icon="send" onClick=${attempt}>Try it</${Button}><${CopyButton} text=${() => curl({ method: one.method, url: address(one.path) })} label="Copy as a curl line">curl</${CopyButton}></div>
  </div>`;
}

function Fields({ document, schema }) {
  const fields = fieldsOf(document, schema);
  if (!fields.length) return html`<p class="quiet">${typesOf(document, schema).join(" or ")}</p>`;
  return html`<ul class="fields">${fields.slice(0, 100).map(field => html`<li class=${`depth-${Math.min(4, field.depth)}`}><code>${visible(field.name)}</code> <span class="quiet small">${visible(field.types.join(" or "))}${field.required ? ", required" : ""}</span></li>`)}</ul>`;
}
