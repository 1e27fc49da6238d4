// The content of a file in a bucket: to save, and to look at if it is a picture that browsers can only draw.
import { html, save, useEffect, useState } from "./dom.js";
import { address, dataPath, request } from "./api.js";
import { at } from "./shellprint.js";
import { pathOf } from "./ids.js";
import { Button, CopyButton, Failure } from "./ui.js";
import { quote } from "./curl.js";
import { size, visible } from "./format.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const LARGEST = 20 << 20;

/** @param {{path: string[], document: any}} props document: what describes the file */
export function FileContent({ path, document }) {
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
