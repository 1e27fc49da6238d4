// One change for the documents that were selected. Before anything is done it says how many there are.
import { html, useState } from "./dom.js";
import { toast } from "./state.js";
import { dataPath, request, target } from "./api.js";
import { Button, Confirm, Dialog, Failure } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { plural } from "./format.js";

/** @param {{kind: string, path: string[], ids: string[], onClose: () => void, onDone: () => void}} props ids: in the shell's spelling */
export function Bulk({ kind, path, ids, onClose, onDone }) {
  const [text, setText] = useState("{$set: {}}");
  const [error, setError] = useState(/** @type {any} */ (null));
  const where = target(dataPath([...path, "*"]), { filter: `{_id: {$in: [${ids.join(", ")}]}}` });
  const done = (/** @type {any} */ answer, /** @type {string} */ verb, /** @type {string} */ counted) => {
    toast(`${plural(JSON.parse(answer.text)[counted], "document")} ${verb}`, "good");
    onDone();
    onClose();
  };
  if (kind === "delete") {
    return html`<${Confirm} title=${`Delete ${plural(ids.length, "document")}?`} text="They are gone for good." action=${`Delete ${ids.length}`} onClose=${onClose} onYes=${async () => done(await request("DELETE", where), "deleted", "deleted")} />`;
  }
  const run = async () => {
    try {
      done(await request("PATCH", where, { headers: { "Content-Type": "application/json" }, body: text }), "changed", "modified");
    } catch (failure) {
      setError(failure);
    }
  };
  return html`
    <${Dialog} title=${`Update ${plural(ids.length, "document")}`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel</${Button}><${Button} kind="primary" disabled=${Boolean(problem(text)) || !text.trim()} onClick=${run}>Update ${ids.length}</${Button}>`}>
      <p class="quiet">Operators as in MongoDB: <code>$set</code>, <code>$unset</code>, <code>$inc</code>, <code>$push</code>…</p>
      <${Editor} value=${text} onChange=${setText} onRun=${run} label="Change" autofocus />
      ${error && html`<${Failure} error=${error} />`}
    </${Dialog}>`;
}
