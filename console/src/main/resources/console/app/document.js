// One document in the editor. Types stay what they are: it is read and written in the shell's spelling.
import { cls, html, save, useEffect, useRef, useState } from "./dom.js";
import { readOnly, route, settings, toast } from "./state.js";
import { address, dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { at, inline, print } from "./shellprint.js";
import { filterOf, pathOf } from "./ids.js";
import { compare, merged, same, update } from "./diff.js";
import { useLoad, useShown } from "./load.js";
import { Button, Confirm, copied, CopyButton, Dialog, Empty, Failure, Loading, Menu } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { curl, quote } from "./curl.js";
import { go, leaving, withQuery } from "./route.js";
import { pageKeys } from "./keys.js";
import { cut, size, visible } from "./format.js";
import { Form } from "./form.js";
import { may, mayWrite } from "./resources.js";

const JSON_TYPE = { "Content-Type": "application/json" };
const LARGE = 2 << 20;

const without = (/** @type {any} */ document) => ({ ...document, e: document.e.filter((/** @type {any} */ [name]) => name !== "_etag") });

/** Where a document is: by its path, or through a filter where no path can name its id. */
const placeOf = (/** @type {string[]} */ path, /** @type {any} */ id) => {
  const named = pathOf(id);
  return named ? { path: dataPath([...path, named.segment]), query: named.query, list: false } : { path: dataPath(path), query: { filter: filterOf(id), pagesize: 1 }, list: true };
};

/** Why a document cannot be edited as text without becoming another one, or null. */
function obstacle(/** @type {any} */ document, /** @type {boolean} */ pointers, /** @type {boolean} */ unnamed) {
  if (unnamed) return "An id of this type cannot be part of a URL, so the document cannot be replaced here. To change it, select it in the collection and choose Update.";
  if (pointers) return "It contains a DBPointer, which the shell notation cannot tell from a DBRef.";
  const dotted = document.e.find((/** @type {any} */ [name]) => name.includes(".") || name[0] === "$");
  return dotted ? `Its key “${visible(dotted[0])}” would be expanded or refused when the document is stored whole.` : null;
}

/** What is said when a document that is being edited is gone. */
const LOST = { status: 404, message: "Somebody has deleted this document. Your text is still here: copy it, or create the document again." };

async function read(/** @type {string[]} */ path, /** @type {any} */ id, /** @type {AbortSignal|undefined} */ signal) {
  const place = placeOf(path, id);
  const get = async (/** @type {string} */ jsonMode) => {
    const answer = await request("GET", target(place.path, { ...place.query, jsonMode }), { signal });
    const found = parse(answer.text);
    return { document: place.list ? found.a?.[0] : found, text: answer.text };
  };
  const { document, text } = await get("shell");
  if (!document) return { gone: true };
  const pointers = /"\$ref"/.test(text) && /"\$dbPointer"/.test((await get("extended")).text);
  const tag = at(document, "_etag");
  return { base: without(document), tag: tag ? (tag.t === "oid" || tag.t === "string" ? tag.v : inline(tag)) : null, blocked: obstacle(document, pointers, place.list), bytes: text.length };
}

export function DocumentPage({ path, children }) {
  const wanted = route.value.query.doc;
  const creating = wanted === "new";
  const back = withQuery({ doc: "", from: "" });
  const load = useLoad(async signal => {
    if (creating) {
      const from = route.value.query.from;
      const copy = from ? (await read(path, parse(from), signal)).base : null;
      return { base: null, tag: null, blocked: null, text: copy ? print({ ...copy, e: copy.e.filter((/** @type {any} */ [name]) => name !== "_id") }) : "{\n  \n}", bytes: 0 };
    }
    const found = await read(path, parse(wanted), signal);
    return found.gone ? found : { ...found, text: print(found.base) };
  }, [path.join("/"), wanted]);
  const { data, error, busy } = load;
  return html`
    ${children}
    <${Loading} busy=${busy} onCancel=${load.cancel}>
      ${(error || data?.gone) && html`<${Empty} icon="warning" title=${error && error.status !== 404 ? "This document cannot be shown" : "This document is gone"} text=${error && error.status !== 404 ? error.message : "It was deleted, or you may not see it."}><a class="button" href=${back}>Back to the documents</a></${Empty}>`}
      ${!error && data && !data.gone && html`<${Edit} key=${wanted} path=${path} data=${data} creating=${creating} back=${back} again=${load.again} />`}
    </${Loading}>`;
}

function Edit({ path, data, creating, back, again }) {
  const [text, show] = useState(data.text);
  const latest = useRef(data.text); // a key that saves may come before what was typed is shown
  const setText = (/** @type {string} */ next) => show((latest.current = next));
  const [state, setState] = useState({ base: data.base, tag: data.tag, text: data.text });
  const [error, setError] = useState(/** @type {any} */ (null));
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState(/** @type {any} */ (null));
  const [deleting, setDeleting] = useState(false);
  const wrong = problem(text);
  const dirty = text !== state.text;
  const writable = mayWrite(path, creating ? "create" : "update") && !data.blocked;
  const fixed = !writable || data.bytes > LARGE;
  const upload = useRef(/** @type {any} */ (null));
  const shown = useShown();
  const id = state.base && at(state.base, "_id");
  const place = id && placeOf(path, id);

  useEffect(() => {
    leaving.ask = dirty ? () => confirm("Leave without saving? Your changes will be lost.") : null;
    return () => (leaving.ask = null);
  }, [dirty]);

  const stored = async (/** @type {any} */ key, /** @type {string} */ message, written = latest.current) => {
    const now = await read(path, key, undefined);
    toast(message, "good");
    if (!shown()) return;
    leaving.ask = null;
    if (now.base && !creating) {
      setState({ base: now.base, tag: /** @type {any} */ (now).tag, text: print(now.base) });
      if (latest.current === written) setText(print(now.base));
    }
  };

  const put = async (/** @type {string} */ body, /** @type {any} */ tag) => {
    if (tag) return request("PUT", target(place.path, place.query), { headers: { ...JSON_TYPE, "If-Match": tag }, body });
    const change = update(state.base, parse(body));
    if (change.empty) return null;
    return request("PATCH", target(place.path, { ...place.query, filter: change.filter }), { headers: JSON_TYPE, body: change.body });
  };

  const write = async (/** @type {string} */ body = latest.current, /** @type {any} */ tag = state.tag, byFile = false) => {
    if ((fixed && !byFile) || saving || !body.trim() || problem(body) || (body === state.text && !creating)) return;
    setSaving(true);
    setError(null);
    try {
      if (creating) {
        const answer = await request("POST", dataPath(path), { headers: JSON_TYPE, body });
        toast("Created", "good");
        if (!shown()) return;
        leaving.ask = null;
        const given = at(parse(body), "_id");
        go(given ? withQuery({ doc: inline(given), from: "" }) : locationId(answer) || back);
      } else {
        await put(body, tag);
        await stored(id, "Saved", body);
      }
    } catch (/** @type {any} */ failure) {
      const lost = failure.status === 412 || failure.status === 404;
      if (lost) await meet(body);
      else setError(failure);
    }
    setSaving(false);
  };

  /** Stores what a file holds instead: the way for documents that are too large for the editor. */
  const replace = async (/** @type {File} */ file) => {
    const body = file && (await file.text());
    const unreadable = body && problem(body);
    if (unreadable) setError({ status: 0, message: `“${file.name}” cannot be read: ${unreadable.message}` });
    else if (body) (setText(body), await write(body, state.tag, true));
  };

  /** Shows what the others did. */
  const meet = async (/** @type {string} */ body) => {
    try {
      const theirs = await read(path, id, undefined);
      if (theirs.gone) setError(LOST);
      else setConflict({ base: state.base, mine: parse(body), theirs: theirs.base, tag: theirs.tag });
    } catch (/** @type {any} */ failure) {
      setError(failure.status === 404 ? LOST : failure);
    }
  };

  const anew = async () => {
    setError(null);
    try {
      const body = latest.current;
      await request("POST", dataPath(path), { headers: JSON_TYPE, body });
      await stored(at(parse(body), "_id") || id, "Created again", body);
    } catch (failure) {
      setError(failure);
    }
  };

  const remove = async () => {
    try {
      await request("DELETE", target(place.path, place.query), { headers: state.tag ? { "If-Match": state.tag } : {} });
    } catch (/** @type {any} */ failure) {
      if (failure.status !== 412) throw failure;
      const now = await read(path, id, undefined);
      if (now.base) (setState({ base: now.base, tag: /** @type {any} */ (now).tag, text: print(now.base) }), setText(print(now.base)));
      throw Object.assign(new Error("The document was not deleted, because it has changed since you opened it. This is the current version: delete it again if you still want to."), { status: 412 });
    }
    toast("Deleted", "good");
    if (!shown()) return;
    leaving.ask = null;
    go(back);
  };

  useEffect(() => {
    pageKeys.save = () => write();
    pageKeys.e = () => /** @type {any} */ (document.querySelector(".document .editor"))?.editor.focus();
    return () => (delete pageKeys.save, delete pageKeys.e);
  });

  const marks = error && error.status >= 400 && error.status < 500 ? fieldMarks(error, text) : [];
  return html`
    <section class="document" aria-label="Document">
      <div class="toolbar one-line">
        <a class="button plain" href=${back} aria-label="Back to the documents"><span aria-hidden="true">←</span></a>
        <h2 class="mono" title=${creating ? null : visible(inline(id))}>${creating ? "New document" : cut(visible(inline(id)), 80)}</h2>
        ${dirty && html`<span class="tag">changed</span>`}
        <span class="spring"></span>
        ${!creating && html`<span class="wide-only row tight"><${CopyButton} text=${() => curl({ method: "GET", url: address(target(place.path, place.query)) })} label="Copy as a curl line">curl</${CopyButton}>
        <${CopyButton} text=${text} label="Copy the text">Copy</${CopyButton}></span>
        <${Menu} icon="down" text="More" label="More actions" items=${[
          { text: "Download", icon: "download", onClick: () => save(`${cut(inline(id).replace(/\W+/g, "-"), 40)}.json`, new Blob([text])) },
          writable && { text: "Replace with a file…", icon: "upload", onClick: () => upload.current.click() },
          { text: "Reload", icon: "refresh", onClick: again },
          { text: "Copy the text", icon: "copy", onClick: () => copied(text) },
          mayWrite(path, "create") && { text: "Duplicate", icon: "copy", onClick: () => go(withQuery({ doc: "new", from: inline(id) })) },
          mayWrite(path, "delete") && !place.list && { text: settings.value.confirm ? "Delete…" : "Delete", icon: "trash", danger: true, onClick: () => (settings.value.confirm ? setDeleting(true) : remove().catch(setError)) },
        ]} />`}
        <input ref=${upload} type="file" hidden aria-label="File with the document" accept=".json,.txt" onChange=${(/** @type {any} */ e) => (replace(e.target.files[0]), (e.target.value = ""))} />
        ${dirty && !creating && html`<${Button} onClick=${() => setText(state.text)}>Discard</${Button}>`}
        ${!fixed && html`<${Button} kind="primary" disabled=${Boolean(wrong) || (!dirty && !creating)} busy=${saving} onClick=${() => write()}>${creating ? "Create" : "Save"}</${Button}>`}
      </div>
      ${!data.blocked && !readOnly.value && !may(path, creating ? "create" : "update") && html`<p class="quiet">Read only: this account may not ${creating ? "create documents here" : "change it"}.</p>`}
      ${data.blocked && html`<div class="notice"><p>Read only. ${data.blocked}</p></div>`}
      ${data.bytes > LARGE && html`<div class="notice"><p>Read only: ${size(data.bytes)} are too much for the editor. Download it, change it, and replace it by the file.</p></div>`}
      ${error && html`<${Failure} error=${error}>${error === LOST && !wrong && html`<${Button} small onClick=${anew}>Create it again</${Button}>`}</${Failure}>`}
      ${wrong && text.trim() && html`<p class="error" role="status">Line ${text.slice(0, wrong.at).split("\n").length}: ${wrong.message}</p>`}
      ${path.at(-1)?.endsWith(".files") && state.base && html`<${FileContent} path=${path} document=${state.base} />`}
      <div class="beside"><div class="paper"><${Editor} value=${text} onChange=${setText} readOnly=${fixed} label="Document" marks=${marks} autofocus=${creating} /></div>
        <${Form} path=${path} text=${text} fixed=${fixed} onChange=${setText} /></div>
      ${conflict && html`<${Conflict} ...${conflict} onClose=${() => setConflict(null)} onTake=${(/** @type {any} */ document) => {
        setConflict(null);
        setText(print(document));
        if (same(document, conflict.theirs)) stored(id, "Nothing to save: you kept the other version");
        else write(print(document), conflict.tag);
      }} />`}
      ${deleting && html`<${Confirm} title="Delete this document?" text=${html`<code>${cut(visible(inline(id)), 120)}</code> of <b>${visible(path.join("/") || "/")}</b> will be deleted. This cannot be undone.`} action="Delete" onClose=${() => setDeleting(false)} onYes=${remove} />`}
    </section>`;
}

/** Where the Location of a new document leads. @param {any} answer */
function locationId(answer) {
  const url = new URL(answer.headers.get("Location") || "", location.href);
  const segment = decodeURIComponent(url.pathname.split("/").at(-1) || "");
  if (!segment) return null;
  return withQuery({ doc: /^[0-9a-f]{24}$/.test(segment) ? `ObjectId("${segment}")` : JSON.stringify(segment), from: "" });
}

/** Places of the fields that a refusal names. @param {any} error @param {string} text */
function fieldMarks(error, text) {
  const message = `${error.message} ${error.detail}`;
  try {
    const root = parse(text);
    return (root.e || []).filter(([name]) => new RegExp(`[#/.'"\`\\[ ]${name.replace(/\W/g, "\\$&")}['"\`\\] :,]`).test(message + " ")).map(([, , from, to]) => ({ from, to, message: error.message, severity: "error" }));
  } catch {
    return [];
  }
}

const Value = ({ value, chosen }) => html`<code class=${cls(chosen && "chosen")}>${value === undefined ? html`<i class="quiet">not there</i>` : cut(visible(inline(value)), 300)}</code>`;

/** Somebody else has changed the document meanwhile: base, mine and theirs side by side.
 * @param {{base: any, mine: any, theirs: any, onClose: () => void, onTake: (document: any) => void}} props */
function Conflict({ base, mine, theirs, onClose, onTake }) {
  const [rows, setRows] = useState(() => compare(base, mine, theirs));
  const take = (/** @type {number} */ i, /** @type {string} */ which) => setRows(rows.map((row, n) => (n === i ? { ...row, take: /** @type {any} */ (which) } : row)));
  return html`
    <${Dialog} wide title="Changed by somebody else" onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Back to the editor</${Button}><${Button} kind="primary" onClick=${() => onTake(merged(theirs, rows))}>Save this</${Button}>`}>
      <p>The document was saved after you opened it. Choose which value to keep for each field. Nothing is saved yet.</p>
      ${rows.length === 0 && html`<p>Both versions are the same.</p>`}
      <div class="scroll">
        <table class="conflict">
          <thead><tr><th scope="col">Field</th><th scope="col">Before</th><th scope="col">Yours</th><th scope="col">Theirs</th></tr></thead>
          <tbody>${rows.map((row, i) => html`
            <tr class=${cls(row.both && "both")}>
              <th scope="row"><code>${visible(row.name)}</code>${row.both && html`<span class="tag warn">both changed</span>`}</th>
              <td data-label="Before"><${Value} value=${row.base} /></td>
              ${["mine", "theirs"].map(which => html`<td data-label=${which === "mine" ? "Yours" : "Theirs"}><label class="take"><input type="radio" name=${`take-${i}`} checked=${row.take === which} autofocus=${i === 0 && row.take === which} onChange=${() => take(i, which)} aria-label=${`Keep ${which === "mine" ? "yours" : "theirs"} of ${row.name}`} /><${Value} value=${row[which]} chosen=${row.take === which} /></label></td>`)}
            </tr>`)}</tbody>
        </table>
      </div>
    </${Dialog}>`;
}

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const LARGEST = 20 << 20;

/** The content of a file in a bucket: to save, and to look at if it is a picture that browsers can only draw.
 * @param {{path: string[], document: any}} props document: what describes the file */
function FileContent({ path, document }) {
  const [error, setError] = useState(/** @type {any} */ (null));
  const [picture, setPicture] = useState("");
  const id = pathOf(at(document, "_id"));
  const type = at(document, "metadata.contentType")?.v || "";
  const length = Number(at(document, "length")?.v || 0);
  const name = at(document, "filename")?.v || "file";
  const where = id ? dataPath([...path, id.segment, "binary"]) + (id.query.id_type ? `?id_type=${id.query.id_type}` : "") : null;
  const shown = where && PICTURES.includes(type) && length <= LARGEST;
  useEffect(() => {
    if (!shown) return undefined;
    const abort = new AbortController();
    let url = "";
    request("GET", where, { raw: true, signal: abort.signal, quiet: true }).then(answer => setPicture((url = URL.createObjectURL(new Blob([answer.blob], { type })))), failure => abort.signal.aborted || setError(failure));
    return () => (abort.abort(), url && URL.revokeObjectURL(url));
  }, [where]);
  if (!where) return null;
  const download = () => request("GET", where, { raw: true }).then(answer => save(name, answer.blob), setError);
  return html`<section class="panel stack tight-stack" aria-label="Content">
    <div class="toolbar"><b>${visible(name)}</b><span class="quiet">${[type, size(length)].filter(Boolean).join(", ")}</span><span class="spring"></span><${CopyButton} text=${() => `curl -sS -u "$RH_USER" ${quote(address(where))} -o ${quote(name)}`} label="Copy as a curl line">curl</${CopyButton}><${Button} icon="download" onClick=${download}>Download</${Button}></div>
    ${error && html`<${Failure} error=${error} />`}
    ${picture && html`<img class="picture" src=${picture} alt=${visible(name)} />`}
  </section>`;
}
