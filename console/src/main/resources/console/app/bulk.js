// One change for the documents that were selected, or that match a filter. Before anything is done it says how many there are.
import { html, useState } from "./dom.js";
import { settings, toast } from "./state.js";
import { dataPath, request, target } from "./api.js";
import { useLoad } from "./load.js";
import { Button, Confirm, Dialog, Failure, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { count, plural, visible } from "./format.js";

/** @param {{remove: boolean, path: string[], filter: string, known: number|null, onClose: () => void, onDone: () => void}} props
 *   remove: whether they are deleted; known: how many there are, if that needs no counting */
export function Bulk({ remove, path, filter, known, onClose, onDone }) {
  const [text, setText] = useState("{$set: {}}");
  const [error, setError] = useState(/** @type {any} */ (null));
  const counted = useLoad(async signal => known ?? JSON.parse((await request("GET", target(dataPath(path) + "/_size", { filter }), { signal })).text)._size, [filter]);
  const where = target(dataPath([...path, "*"]), { filter });
  const n = counted.data;
  const done = (/** @type {any} */ answer, /** @type {string} */ verb, /** @type {string} */ of) => {
    toast(`${plural(JSON.parse(answer.text)[of], "document")} ${verb}`, "good");
    onDone();
    onClose();
  };
  const asked = known === null && html`<p>All that match <code>${visible(filter)}</code> now${n === undefined ? "" : html`: <b>${count(n)}</b>`}.</p>`;
  if (counted.error || n === undefined) {
    return html`<${Dialog} title=${remove ? "Delete all that match?" : "Update all that match"} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel</${Button}>`}>
      <${Loading} busy=${counted.busy} onCancel=${onClose}>${asked}${counted.error && html`<${Failure} error=${counted.error} />`}</${Loading}></${Dialog}>`;
  }
  if (remove) {
    const word = known === null && settings.value.confirm ? String(n) : undefined;
    return html`<${Confirm} title=${`Delete ${plural(n, "document")}?`} text=${html`${asked ? html`All that match <code>${visible(filter)}</code> now: <b>${count(n)}</b>. ` : ""}They are gone for good.`} word=${word} action=${`Delete ${count(n)}`} onClose=${onClose} onYes=${async () => done(await request("DELETE", where), "deleted", "deleted")} />`;
  }
  const run = async () => {
    try {
      done(await request("PATCH", where, { headers: { "Content-Type": "application/json" }, body: text }), "changed", "modified");
    } catch (failure) {
      setError(failure);
    }
  };
  return html`
    <${Dialog} title=${`Update ${plural(n, "document")}`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel</${Button}><${Button} kind="primary" disabled=${Boolean(problem(text)) || !text.trim()} onClick=${run}>Update ${count(n)}</${Button}>`}>
      ${asked}
      <p class="quiet">Operators as in MongoDB: <code>$set</code>, <code>$unset</code>, <code>$inc</code>, <code>$push</code>…</p>
      <${Editor} value=${text} onChange=${setText} onRun=${run} label="Change" autofocus />
      ${error && html`<${Failure} error=${error} />`}
    </${Dialog}>`;
}
