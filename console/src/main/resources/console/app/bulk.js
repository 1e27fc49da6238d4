// One change for documents of a collection. What it applies to is one object, made from the view that showed the documents:
// nothing here asks which page is open. Before anything is done it says how many there are, and where.
import { html, useState } from "./dom.js";
import { settings, toast } from "./state.js";
import { dataPath, request, target } from "./api.js";
import { at, inline } from "./shellprint.js";
import { useLoad } from "./load.js";
import { Button, Confirm, Dialog, Failure, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { count, plural, visible } from "./format.js";

/** @typedef {{path: string[], filter: string, collation: string|undefined, known: number|null}} Chosen known: how many there are, if that needs no counting */

/** All that match the filter of a view. @param {{path: string[], filter: string, collation: string}} view @returns {Chosen} */
export const matching = view => ({ path: view.path, filter: view.filter, collation: view.collation || undefined, known: null });

/** Documents of a view, as they were shown: one that was changed since then has another tag. @param {{path: string[]}} view @param {any[]} documents @returns {Chosen} */
export function these(view, documents) {
  const ids = documents.map(one => inline(at(one, "_id")));
  const tags = documents.map(one => at(one, "_etag"));
  const filter = tags.every(Boolean) ? `{$or: [${ids.map((id, i) => `{_id: ${id}, _etag: ${inline(tags[i])}}`).join(", ")}]}` : `{_id: {$in: [${ids.join(", ")}]}}`;
  return { path: view.path, filter, collation: undefined, known: documents.length };
}

/** As many as one transaction can change in time: it keeps the bound. */
const MOST_BOUNDED = 10_000;

/** How a person calls a collection. @param {string[]} path */
export const nameOf = path => visible(path.join("/") || "/");

/** @param {{remove: boolean, chosen: Chosen, onClose: () => void, onDone: () => void}} props remove: whether they are deleted */
export function Bulk({ remove, chosen, onClose, onDone }) {
  const { path, filter, collation, known } = chosen;
  const [text, setText] = useState("{$set: {}}");
  const [error, setError] = useState(/** @type {any} */ (null));
  const counted = useLoad(async signal => known ?? JSON.parse((await request("GET", target(dataPath(path) + "/_size", { filter, collation }), { signal })).text)._size, [path.join("/"), filter, collation]);
  const where = target(dataPath([...path, "*"]), { filter, collation });
  const name = nameOf(path);
  const n = counted.data;
  const done = (/** @type {any} */ answer, /** @type {string} */ verb, /** @type {string} */ of) => {
    const report = JSON.parse(answer.text);
    const left = known === null ? 0 : known - report[of === "deleted" ? "deleted" : "matched"];
    toast(`${plural(report[of], "document")} of ${name} ${verb}${left > 0 ? `; ${plural(left, "document")} not ${verb}: changed or deleted by others since shown here` : ""}`, left > 0 ? "info" : "good");
    onDone();
    onClose();
  };
  const asked = known === null && html`<p>Documents of <b>${name}</b> that match <code>${visible(filter)}</code>${n === undefined ? "" : html`: <b>${count(n)}</b>`}.</p>`;
  if (counted.error || n === undefined) {
    return html`<${Dialog} title=${remove ? `Delete all of ${name} that match?` : `Update all of ${name} that match`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel</${Button}>`}>
      <${Loading} busy=${counted.busy} onCancel=${onClose}>${asked}${counted.error && html`<${Failure} error=${counted.error} />`}</${Loading}></${Dialog}>`;
  }
  const send = (/** @type {string|undefined} */ prefer) =>
    request(remove ? "DELETE" : "PATCH", where, { headers: { ...(prefer && { Prefer: prefer }), ...(!remove && { "Content-Type": "application/json" }) }, body: remove ? undefined : text });
  const change = async () => { // no more than were confirmed, where MongoDB has transactions
    if (known !== null || n > MOST_BOUNDED) return send(undefined);
    try {
      return await send(`handling=strict, max-affected=${n}`);
    } catch (failure) {
      if (/** @type {any} */ (failure).status !== 501) throw failure;
      return send(undefined);
    }
  };
  const rehearse = async () => {
    try {
      const report = JSON.parse((await send("tx=rollback")).text);
      setError(null);
      toast(remove ? `${plural(report.deleted, "document")} of ${name} would be deleted; none is` : `${plural(report.modified, "document")} of ${name} would change; none has`, "info");
    } catch (failure) {
      setError(failure);
    }
  };
  if (remove) {
    const word = known === null && settings.value.confirm ? String(n) : undefined;
    return html`<${Confirm} title=${`Delete ${plural(n, "document")} of ${name}?`} text=${html`${asked ? html`<b>${count(n)}</b> ${n === 1 ? "document matches" : "documents match"} <code>${visible(filter)}</code> now. ` : ""}This cannot be undone.`} word=${word} action=${`Delete ${count(n)}`} onClose=${onClose} onYes=${async () => done(await change(), "deleted", "deleted")}>
      <div class="row"><${Button} onClick=${rehearse}>Rehearse</${Button}></div>${error && html`<${Failure} error=${error} />`}</${Confirm}>`;
  }
  const run = async () => {
    try {
      done(await change(), "changed", "modified");
    } catch (failure) {
      setError(failure);
    }
  };
  const unready = Boolean(problem(text)) || !text.trim();
  return html`
    <${Dialog} title=${`Update ${plural(n, "document")} of ${name}`} onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Cancel</${Button}><${Button} disabled=${unready} onClick=${rehearse}>Rehearse</${Button}><${Button} kind="primary" disabled=${unready} onClick=${run}>Update ${count(n)}</${Button}>`}>
      ${asked}
      <p class="quiet">Operators as in MongoDB: <code>$set</code>, <code>$unset</code>, <code>$inc</code>, <code>$push</code>…</p>
      <${Editor} value=${text} onChange=${setText} onRun=${run} label="Change" autofocus />
      ${error && html`<${Failure} error=${error} />`}
    </${Dialog}>`;
}
