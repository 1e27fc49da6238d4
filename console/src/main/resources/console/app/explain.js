// Why a request is allowed or refused: the gateway's own answer, for oneself and, as the root role, for others.
import { cls, html, useEffect, useState } from "./dom.js";
import { config, why } from "./state.js";
import { dataPath, request, target } from "./api.js";
import { known } from "./resources.js";
import { href } from "./route.js";
import { Button, Dialog, Failure, Field } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { visible } from "./format.js";

/** @param {any} question {method, path, body?, as?, roles?} @returns {Promise<any>} */
const ask = async question => JSON.parse((await request("POST", config.value.access + "/check", { headers: { "Content-Type": "application/json" }, body: JSON.stringify(question) })).text);

/** The roles that permissions and accounts name, as far as the caller may read those. @returns {Promise<string[]>} */
async function everyRole() {
  const places = known().filter(node => node.holds === "permissions" || node.holds === "accounts");
  const lists = await Promise.all(places.map(async node => JSON.parse((await request("GET", target(dataPath(node.path), { pagesize: 1000, keys: '{"roles":1}' }), { quiet: true })).text)));
  return [...new Set(lists.flat().flatMap(one => (Array.isArray(one.roles) ? one.roles.map(String) : [])))].sort().slice(0, 100);
}

/** Which roles may make the request. @param {any} question @returns {Promise<{role: string, allowed: boolean}[]>} */
async function whoMay(question) {
  const answers = [];
  for (const role of await everyRole()) {
    const answer = await request("POST", config.value.access + "/check", { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...question, roles: [role] }), quiet: true });
    answers.push({ role, allowed: JSON.parse(answer.text).decision === "allowed" });
  }
  return answers;
}

const titleOf = (/** @type {any} */ rule) => (rule._id !== undefined ? `Permission ${typeof rule._id === "string" ? visible(rule._id) : visible(JSON.stringify(rule._id))}` : rule.place ? visible(rule.place) : "A permission");

function Rule({ rule, index }) {
  const reasons = [];
  if (rule.failed !== undefined) reasons.push(html`<p>This part does not match the request: <code>${visible(rule.failed)}</code></p>`);
  if (rule.missing) reasons.push(html`<p>It lacks ${rule.missing.map((/** @type {string} */ flag, /** @type {number} */ i) => html`${i ? ", " : ""}<code>${flag}</code>`)}.</p>`);
  if (!rule.applies && !reasons.length) reasons.push(html`<p class="quiet">It does not cover this request.</p>`);
  return html`<li class=${cls("tried", rule.applies && "applies")}>
    <div class="row"><span class="step" aria-hidden="true">${index + 1}</span><b>${titleOf(rule)}</b><span class=${cls("tag", rule.applies ? "good" : "bad")}>${rule.applies ? "allows it" : "does not apply"}</span>
      <span class="quiet small">${[rule.role && `role ${visible(rule.role)}`, rule.priority !== undefined && `priority ${rule.priority}`].filter(Boolean).join(", ")}</span></div>${reasons}</li>`;
}

/** @param {{answer: any}} props what /_access/check answered */
export function Explanation({ answer }) {
  const limits = Object.entries(answer.grant || {});
  return html`<div class="stack tight-stack" role="status">
    <p class="row"><span class=${cls("tag", answer.decision === "allowed" ? "good" : "bad")}>${answer.decision === "allowed" ? "✓ Allowed" : "✗ Refused"}</span>${answer.decision === "refused" && html`<span class="quiet">Status ${answer.status}</span>`}</p>
    ${answer.reason && html`<p>${visible(answer.reason)}</p>`}
    ${limits.length > 0 && html`<div><p>With these limits:</p><ul class="limits">${limits.map(([name, value]) => html`<li><code>${name}</code> ${value === true ? "" : html`<code class="quiet">${visible(JSON.stringify(value))}</code>`}</li>`)}</ul></div>`}
    ${answer.trace.length > 0 && html`<h3>Permissions, in the order in which they were tried</h3><ol class="trace">${answer.trace.map((/** @type {any} */ rule, /** @type {number} */ i) => html`<${Rule} rule=${rule} index=${i} />`)}</ol>`}
    ${answer.decision === "allowed" && html`<p class="quiet small">Permissions allow it. It can still fail because of the data, validation or other checks.</p>`}
  </div>`;
}

/** @param {{roles: {role: string, allowed: boolean}[]}} props */
const Who = ({ roles }) => html`<div class="stack tight-stack" role="status">
  ${[["May", true], ["May not", false]].map(([text, which]) => {
    const some = roles.filter(one => one.allowed === which);
    return html`<p class="row"><span class=${cls("tag", which ? "good" : "bad")}>${which ? "✓" : "✗"} ${text}</span>${some.length ? some.map(one => html`<span class="tag">${visible(one.role)}</span>`) : html`<span class="quiet">no role</span>`}</p>`;
  })}
  <p class="quiet small">These are the roles that permissions and accounts name. A rule may also depend on other properties of an account.</p></div>`;

/** A restriction of an answer, as a parameter. @param {any} answer @param {string} name */
const limit = (answer, name) => answer.grant?.[name] && JSON.stringify(answer.grant[name]);

/** A request line to ask about. @param {{as?: string, roles?: string[], begin?: any, now?: boolean}} props now: asks at once */
export function Check({ as, roles, begin, now }) {
  const [method, setMethod] = useState(begin?.method || "GET");
  const [path, setPath] = useState(begin?.path || "/");
  const [body, setBody] = useState(begin?.body || "");
  const [state, setState] = useState(/** @type {any} */ (null));
  const withBody = method !== "GET" && method !== "DELETE";
  const run = async (/** @type {Event|null} */ e) => {
    e?.preventDefault();
    setState({ busy: true });
    try {
      const answer = await ask({ method, path, body: withBody && body.trim() ? body : undefined, as, roles });
      const of = answer.decision === "allowed" && method === "GET" && (as || roles) && known().find(node => node.kind === "coll" && dataPath(node.path) === path)?.path;
      setState({ answer, of });
    } catch (error) {
      setState({ error });
    }
  };
  const everybody = async () => {
    setState({ busy: true });
    try {
      setState({ who: await whoMay({ method, path, body: withBody && body.trim() ? body : undefined }) });
    } catch (error) {
      setState({ error });
    }
  };
  useEffect(() => {
    if (now) run(null);
  }, []);
  return html`<form class="stack tight-stack" onSubmit=${run}>
    <div class="toolbar nowrap-bar wraps"><select aria-label="Method to check" value=${method} onChange=${(/** @type {any} */ e) => setMethod(e.target.value)}>${["GET", "POST", "PUT", "PATCH", "DELETE"].map(one => html`<option selected=${one === method}>${one}</option>`)}</select>
      <input class="mono spring" aria-label="Path to check" required spellcheck=${false} value=${path} onInput=${(/** @type {any} */ e) => setPath(e.target.value)} />
      <button type="submit" class="button primary" disabled=${state?.busy || Boolean(withBody && problem(body))}><span>Check</span></button>
      ${known().some(node => node.holds === "permissions") && html`<${Button} disabled=${state?.busy || Boolean(withBody && problem(body))} onClick=${everybody}>Who may do this?</${Button}>`}</div>
    ${withBody && html`<div class="field"><span class="label">Body</span><${Editor} value=${body} onChange=${setBody} onRun=${() => run(null)} label="Body to check" hint="{ }" /></div>`}
    ${state?.error && html`<${Failure} error=${state.error} />`}
    ${state?.answer && html`<${Explanation} answer=${state.answer} />`}
    ${state?.answer && state.of && html`<p><a href=${href("c", state.of, { filter: limit(state.answer, "readFilter"), keys: limit(state.answer, "projectResponse") })}>Show the documents that it reads</a></p>`}
    ${state?.who && html`<${Who} roles=${state.who} />`}
  </form>`;
}

/** The dialog behind "Why?" of a refusal. */
export function Why() {
  const [state, setState] = useState(/** @type {any} */ (null));
  const { method, path, body } = why.value;
  useEffect(() => {
    ask({ method, path, body: body || undefined }).then(answer => setState({ answer }), error => setState({ error }));
  }, []);
  return html`<${Dialog} title="Why was this refused?" wide onClose=${() => (why.value = null)} foot=${html`<span class="spring"></span><${Button} onClick=${() => (why.value = null)}>Close</${Button}>`}>
    <p class="mono">${method} ${visible(path)}</p>
    ${state?.error && html`<${Failure} error=${state.error} />`}
    ${state?.answer && html`<${Explanation} answer=${state.answer} />`}
  </${Dialog}>`;
}
