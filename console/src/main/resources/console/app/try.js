// Any request, and what came of it.
import { html, useMemo, useState } from "./dom.js";
import { config, tryDraft } from "./state.js";
import { address, dataPath, request } from "./api.js";
import { known } from "./resources.js";
import { Button, Choice, CopyButton, Empty, Failure, Field, Loading, Status } from "./ui.js";
import { Help } from "./help.js";
import { Editor } from "./editor.js";
import { languages } from "./curl.js";
import { duration, size, visible } from "./format.js";
import { parse } from "./shell.js";
import { print } from "./shellprint.js";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Splits a target into its path and its parameters. @param {string} target */
function split(target) {
  const at = target.indexOf("?");
  if (at < 0) return { path: target, query: [] };
  return { path: target.slice(0, at), query: [...new URLSearchParams(target.slice(at + 1))] };
}

const joined = (/** @type {string} */ path, /** @type {[string, string][]} */ query) => {
  const pairs = query.filter(([name]) => name).map(([name, value]) => (value === "" ? encodeURIComponent(name) : `${encodeURIComponent(name)}=${encodeURIComponent(value)}`));
  return path + (pairs.length ? "?" + pairs.join("&") : "");
};

export function Try() {
  const begin = tryDraft.value || { method: "GET", path: config.value.api ? dataPath([]) : "/ping", headers: {}, body: "" };
  const first = split(begin.path);
  const [method, setMethod] = useState(begin.method);
  const [path, setPath] = useState(first.path);
  const [query, setQuery] = useState(/** @type {[string, string][]} */ (first.query));
  const [headers, setHeaders] = useState(/** @type {[string, string][]} */ (Object.entries(begin.headers || {})));
  const [body, setBody] = useState(begin.body || "");
  const [answer, setAnswer] = useState(/** @type {any} */ (null));
  const [language, setLanguage] = useState("curl");
  /** @type {[string, string[], string][]} what is known of parameters: by the operation's description, else in general */
  const general = (config.value.parameters || []).map((/** @type {any} */ one) => [one.name, one.methods, one.meaning]);
  const documented = begin.documented?.length ? begin.documented.filter((/** @type {any} */ one) => one.in === "query").map((/** @type {any} */ one) => [one.name, [begin.method], one.description || ""]) : general;
  const withBody = method !== "GET" && method !== "DELETE";
  const target = joined(path.startsWith("/") ? path : "/" + path, query);
  const sent = useMemo(() => {
    const own = Object.fromEntries(headers.filter(([name]) => name.trim()));
    return withBody && body && !Object.keys(own).some(name => name.toLowerCase() === "content-type") ? { "Content-Type": "application/json", ...own } : own;
  }, [headers, body, withBody]);

  const send = async () => {
    setAnswer({ busy: true });
    tryDraft.value = { method, path: target, headers: sent, body, documented: begin.documented };
    try {
      setAnswer(await request(method, target, { headers: sent, body: withBody && body ? body : undefined, any: true }));
    } catch (error) {
      setAnswer({ error });
    }
  };
  const pairs = (/** @type {[string, string][]} */ list, /** @type {(next: any) => void} */ set, /** @type {string} */ noun, /** @type {string|null} */ options) => html`
    ${list.map(([name, value], i) => html`<div class="pair" key=${i}>
      <input aria-label=${`Name of ${noun} ${i + 1}`} list=${options} placeholder="name" spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => set(list.map((one, n) => (n === i ? [e.target.value, value] : one)))} />
      <input aria-label=${`Value of ${noun} ${i + 1}`} placeholder="value" class="mono" spellcheck=${false} value=${value} onInput=${(/** @type {any} */ e) => set(list.map((one, n) => (n === i ? [name, e.target.value] : one)))} onKeyDown=${(/** @type {any} */ e) => e.key === "Enter" && send()} />
      <${Button} icon="close" kind="plain" label=${`Remove ${noun} ${i + 1}`} onClick=${() => set(list.filter((_, n) => n !== i))} />
      ${noun === "parameter" && html`<span class="hint">${(documented.find(([known]) => known === name) || general.find(([known]) => known === name))?.[2]}</span>`}</div>`)}
    <div><${Button} small icon="plus" onClick=${() => set([...list, ["", ""]])}>Add ${noun}</${Button}></div>`;

  return html`
    <div class="page">
      <div class="page-head"><h1>Try</h1><span class="spring"></span><${Help} page="reference/api" about="reading over HTTP" /></div>
      <form class="toolbar nowrap-bar" onSubmit=${(/** @type {Event} */ e) => (e.preventDefault(), send())}>
        <select aria-label="Method" value=${method} onChange=${(/** @type {any} */ e) => setMethod(e.target.value)}>${METHODS.map(one => html`<option>${one}</option>`)}</select>
        <input class="mono spring" aria-label="Path" list="paths" spellcheck=${false} value=${path} onInput=${(/** @type {any} */ e) => (e.target.value.includes("?") ? ((s => (setPath(s.path), setQuery([...query, ...s.query])))(split(e.target.value))) : setPath(e.target.value))} />
        <datalist id="paths">${known().filter(node => node.kind !== "db").flatMap(node => [dataPath(node.path), dataPath([...node.path, "_indexes"]), dataPath([...node.path, "_meta"]), dataPath([...node.path, "*"])]).slice(0, 400).map(one => html`<option value=${one}></option>`)}</datalist>
        <datalist id="parameters">${documented.filter(([, methods]) => methods.includes(method)).map(([name, , text]) => html`<option value=${name}>${text}</option>`)}</datalist>
        <button type="submit" class="button primary"><span>Send</span></button>
      </form>
      <div class="columns-2">
        <div class="stack tight-stack">
          <section class="panel slim" aria-label="Parameters"><h2>Parameters</h2>${pairs(query, setQuery, "parameter", "parameters")}</section>
          <section class="panel slim" aria-label="Headers"><h2>Headers</h2><p class="quiet small">Your credentials are added.</p>${pairs(headers, setHeaders, "header", null)}</section>
          ${withBody && html`<section class="panel slim" aria-label="Body"><h2>Body</h2><${Editor} value=${body} onChange=${setBody} onRun=${send} label="Body" /></section>`}
          <section class="panel slim" aria-label="As code"><div class="toolbar"><h2>As code</h2><${CopyButton} text=${() => languages[language]({ method, url: address(target), headers: sent, body: withBody && body ? body : null })} label="Copy the code" /><span class="spring"></span><${Choice} label="Language" value=${language} options=${Object.keys(languages).map(one => [one, one])} onChange=${setLanguage} /></div>
            <pre class="code" tabindex="0" aria-label="Code">${languages[language]({ method, url: address(target), headers: sent, body: withBody && body ? body : null })}</pre></section>
        </div>
        <section class="stack tight-stack" aria-label="Answer">
          ${!answer && html`<${Empty} icon="send" title="No response yet" text="Requests are sent with your account." />`}
          ${answer?.error && html`<${Failure} error=${answer.error} />`}
          ${answer && !answer.error && html`<${Loading} busy=${answer.busy} onCancel=${() => {}}>${!answer.busy && html`<${Answer} answer=${answer} />`}</${Loading}>`}
        </section>
      </div>
    </div>`;
}

function pretty(/** @type {any} */ answer) {
  if (!/json/.test(answer.headers.get("Content-Type") || "") || answer.text.length > 500_000) return answer.text;
  try {
    return print(parse(answer.text));
  } catch {
    return answer.text;
  }
}

function Answer({ answer }) {
  return html`
    <div class="toolbar"><h2 class="row"><${Status} status=${answer.status} /></h2><span class="quiet">${duration(answer.ms)}, ${size(answer.text.length)}</span><span class="spring"></span>${answer.text && html`<${CopyButton} text=${answer.text} label="Copy the response">Copy</${CopyButton}>`}</div>
    ${answer.text && html`<pre class="text-view tall" tabindex="0" aria-label="Response body">${pretty(answer)}</pre>`}
    ${!answer.text && html`<p class="quiet">The response has no body.</p>`}
    <details class="folded" open=${!answer.text}><summary>Headers</summary><table class="plain"><tbody>${[...answer.headers].map(([name, value]) => html`<tr><th scope="row">${name}</th><td class="mono">${visible(value)}</td></tr>`)}</tbody></table></details>`;
}
