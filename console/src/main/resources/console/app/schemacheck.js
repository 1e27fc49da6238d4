// What the stored documents would say to a schema that is being written: the first thousand are tried in the page.
import { html, useEffect, useState } from "./dom.js";
import { dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { violation } from "./conforming.js";
import { Button, Failure } from "./ui.js";
import { href } from "./route.js";
import { count, plural, visible } from "./format.js";

const TRIED = 1000;
const SLICE = 100;

/** A value of the shell's spelling as plain JSON. @param {any} value @returns {any} */
const plain = value =>
  value.t === "object" ? Object.fromEntries(value.e.map((/** @type {any} */ [name, inner]) => [name, plain(inner)])) : value.t === "array" ? value.a.map(plain) : ["int", "long", "double"].includes(value.t) ? Number(value.v) : value.t === "null" ? null : value.v;

/** @param {{path: string[], schema: string}} props schema: its text, which can be read */
export function SchemaCheck({ path, schema }) {
  const [state, setState] = useState(/** @type {any} */ (null));
  useEffect(() => setState(null), [schema]);
  const run = async () => {
    setState({ busy: true });
    try {
      const wanted = plain(parse(schema));
      const documents = JSON.parse((await request("GET", target(dataPath(path), { pagesize: TRIED }))).text);
      const found = [];
      for (let i = 0; i < documents.length; i++) {
        const wrong = violation(wanted, documents[i]);
        if (wrong) found.push({ id: documents[i]._id, ...wrong });
        if (i % SLICE === SLICE - 1) await new Promise(done => setTimeout(done)); // others want to draw, too
      }
      setState({ tried: documents.length, found });
    } catch (error) {
      setState({ error });
    }
  };
  return html`<div class="stack tight-stack">
    <div class="row"><${Button} disabled=${state?.busy} busy=${state?.busy} onClick=${run}>Check the first ${count(TRIED)} documents</${Button}>
      ${state?.found && html`<span role="status" class=${state.found.length ? "error" : "quiet"}>${state.found.length ? `${count(state.found.length)} of ${plural(state.tried, "document")} would be refused` : `${plural(state.tried, "document")}: all conform`}</span>`}</div>
    ${state?.error && html`<${Failure} error=${state.error} />`}
    ${state?.found?.length > 0 && html`<ul class="small">${state.found.slice(0, 10).map((/** @type {any} */ one) => html`<li><a href=${href("c", path, { doc: spelled(one.id) })}><code>${visible(spelled(one.id))}</code></a>: <code>${visible(one.path || "the document")}</code> ${visible(one.message)}</li>`)}</ul>`}
  </div>`;
}

const spelled = (/** @type {any} */ id) => (id?.$oid ? `ObjectId("${id.$oid}")` : JSON.stringify(id));
