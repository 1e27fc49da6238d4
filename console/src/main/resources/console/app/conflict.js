// Somebody else has changed the document meanwhile: base, mine and theirs side by side.
import { cls, html, useState } from "./dom.js";
import { Button, Dialog } from "./ui.js";
import { compare, merged } from "./diff.js";
import { inline } from "./shellprint.js";
import { cut, visible } from "./format.js";

const Value = ({ value, chosen }) => html`<code class=${cls(chosen && "chosen")}>${value === undefined ? html`<i class="quiet">not there</i>` : cut(visible(inline(value)), 300)}</code>`;

/** @param {{base: any, mine: any, theirs: any, onClose: () => void, onTake: (document: any) => void}} props */
export function Conflict({ base, mine, theirs, onClose, onTake }) {
  const [rows, setRows] = useState(() => compare(base, mine, theirs));
  const take = (/** @type {number} */ i, /** @type {string} */ which) => setRows(rows.map((row, n) => (n === i ? { ...row, take: /** @type {any} */ (which) } : row)));
  return html`
    <${Dialog} wide title="Changed by somebody else" onClose=${onClose} foot=${html`<${Button} onClick=${onClose}>Back to the editor</${Button}><${Button} kind="primary" onClick=${() => onTake(merged(theirs, rows))}>Save this</${Button}>`}>
      <p>The document was stored after you opened it. Choose for each field what to keep; nothing is saved yet.</p>
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
