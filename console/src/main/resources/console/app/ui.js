// Parts that every page is made of.
import { cls, copy, html, useEffect, useLayoutEffect, useRef, useState } from "./dom.js";
import { Icon } from "./icons.js";
import { config, toast, why } from "./state.js";
import { duration, visible } from "./format.js";

/** @param {any} props */
export const Button = ({ icon, kind, small, children, label, busy, class: more, ...rest }) => html`
  <button type="button" class=${cls("button", kind, small && "small", !children && "square", more)} aria-label=${label} title=${label} aria-busy=${busy ? "true" : null} ...${rest}>
    ${icon && html`<${Icon} name=${icon} />`}${children && html`<span>${children}</span>`}
  </button>`;

/** A labelled control. @param {any} props */
export const Field = ({ label, hint, error, children, inline }) => html`
  <label class=${cls("field", inline && "inline", error && "wrong")}>
    <span class="label">${label}</span>${children}
    ${hint && html`<span class="hint">${hint}</span>`}
    ${error && html`<span class="error" role="alert">${error}</span>`}
  </label>`;

/** A modal dialog; Esc closes it unless it must be answered. @param {any} props */
export function Dialog({ title, onClose, children, wide, must, foot }) {
  const ref = useRef(/** @type {any} */ (null));
  useLayoutEffect(() => {
    const before = /** @type {any} */ (document.activeElement);
    ref.current.showModal();
    return () => before?.isConnected && before.focus?.();
  }, []);
  return html`
    <dialog ref=${ref} class=${cls(wide && "wide")} aria-labelledby="dialog-title" onCancel=${(/** @type {Event} */ e) => (e.preventDefault(), must || onClose())}>
      <header><h2 id="dialog-title">${title}</h2>${!must && html`<${Button} icon="close" kind="plain" label="Close" onClick=${onClose} />`}</header>
      <div class="dialog-body">${children}</div>
      ${foot && html`<footer>${foot}</footer>`}
    </dialog>`;
}

/** Asks before something that cannot be undone. @param {any} props */
export function Confirm({ title, text, word, action, onYes, onClose, children }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(/** @type {any} */ (null));
  const confirmed = !word || typed === word || typed === visible(word); // nobody can type what cannot be seen
  const yes = async (/** @type {Event} */ e) => {
    e.preventDefault();
    if (!confirmed) return;
    setBusy(true);
    try {
      await onYes();
      onClose();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form class="stack" onSubmit=${yes}>
      ${text && html`<p>${text}</p>`}${children}
      ${word && html`<${Field} label=${html`Type <code>${visible(word)}</code> to confirm`}><input value=${typed} onInput=${(/** @type {any} */ e) => setTyped(e.target.value)} autocomplete="off" spellcheck=${false} /></${Field}>`}
      ${error && html`<${Failure} error=${error} />`}
      <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button danger" disabled=${busy || !confirmed}><span>${action}</span></button></div>
    </form>
  </${Dialog}>`;
}

/** @param {{title: string, text?: any, icon?: string, children?: any}} props */
export const Empty = ({ title, text, icon, children }) => html`
  <div class="empty">${icon && html`<div class="empty-icon"><${Icon} name=${icon} /></div>`}<h2>${title}</h2>${text && html`<p>${text}</p>`}<div class="row center">${children}</div></div>`;

/** What went wrong, in the gateway's words. @param {any} props */
export function Failure({ error, children }) {
  const status = error.status;
  return html`
    <div class="failure" role="alert">
      <${Icon} name="warning" />
      <div>
        <p><strong>${error.message}</strong></p>
        ${error.detail && html`<p class="quiet">${error.detail}</p>`}
        ${status === 500 && error.id && html`<p class="quiet">Request <code>${error.id}</code> <${CopyButton} text=${error.id} label="Copy the id of the request" /></p>`}
        <div class="row">${status === 403 && error.asked && config.value?.access && html`<${Button} small icon="question" onClick=${() => (why.value = error.asked)}>Why?</${Button}>`}${status > 0 && html`<span class="quiet">Status ${status}</span>`}${children}</div>
      </div>
    </div>`;
}

/** Puts text on the clipboard and says so. @param {string} text */
export const copied = async text => ((await copy(text)) ? toast("Copied", "good") : toast("The browser does not allow copying here", "bad"));

/** @param {{text: string | (() => string), label: string, children?: any}} props */
export const CopyButton = ({ text, label, children }) => html`
  <${Button} icon="copy" kind="plain" small label=${label} onClick=${() => copied(typeof text === "function" ? text() : text)}>${children}</${Button}>`;

/** Content that is being loaded: what is there of the same subject stays, dimmed. @param {any} props */
export function Loading({ busy, onCancel, children }) {
  const [ms, setMs] = useState(0);
  useEffect(() => {
    setMs(0);
    if (!busy) return undefined;
    const began = Date.now();
    const timer = setInterval(() => setMs(Date.now() - began), 100);
    return () => clearInterval(timer);
  }, [busy]);
  return html`
    <div class=${cls("loading", busy && ms > 150 && "busy")} aria-busy=${busy ? "true" : "false"}>
      ${busy && ms > 150 && html`<div class="progress" role="progressbar" aria-label="Loading"></div>`}
      ${busy && ms > 2000 && html`<p class="elapsed">${duration(ms)} <${Button} small onClick=${onCancel}>Cancel</${Button}></p>`}
      ${children}
    </div>`;
}

/** A button with a list of actions below it. @param {any} props items: {text, icon, onClick, danger} */
export function Menu({ label, icon, text, items, kind }) {
  const [open, setOpen] = useState(false);
  const ref = useRef(/** @type {any} */ (null));
  useEffect(() => {
    if (!open) return undefined;
    ref.current.querySelector("[role=menuitem]")?.focus();
    const away = (/** @type {any} */ e) => ref.current?.contains(e.target) || setOpen(false);
    addEventListener("pointerdown", away);
    return () => removeEventListener("pointerdown", away);
  }, [open]);
  const key = (/** @type {KeyboardEvent} */ e) => {
    if (!open) return;
    const all = [...ref.current.querySelectorAll("[role=menuitem]")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    else if (e.key === "Escape") (setOpen(false), ref.current.querySelector("button").focus());
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  return html`
    <div class="menu" ref=${ref} onKeyDown=${key}>
      <${Button} icon=${icon} kind=${kind} label=${text ? null : label} aria-haspopup="menu" aria-expanded=${String(open)} onClick=${() => setOpen(!open)}>${text}</${Button}>
      ${open && html`<div role="menu" aria-label=${label} class="menu-list">
        ${items.filter(Boolean).map((/** @type {any} */ item) => html`<button role="menuitem" type="button" tabindex="-1" class=${cls(item.danger && "danger")} onClick=${() => (setOpen(false), item.onClick())}>${item.icon && html`<${Icon} name=${item.icon} />`}${item.text}</button>`)}
      </div>`}
    </div>`;
}

/** @param {{items: {id: string, text: any, href: string}[], current: string, label: string}} props */
export function Tabs({ items, current, label }) {
  const ref = useRef(/** @type {any} */ (null));
  useLayoutEffect(() => {
    const here = ref.current.querySelector("[aria-current]");
    if (here) ref.current.scrollLeft = here.offsetLeft - ref.current.offsetLeft - 40; // where there is no room for all
  }, [current]);
  return html`<nav class="tabs" ref=${ref} aria-label=${label}>${items.map(item => html`<a href=${item.href} aria-current=${item.id === current ? "page" : null}>${item.text}</a>`)}</nav>`;
}

/** Buttons of which one is chosen. @param {any} props */
export const Choice = ({ label, value, options, onChange }) => html`
  <div class="choice" role="group" aria-label=${label}>${options.map((/** @type {any} */ [id, text]) => html`<button type="button" aria-pressed=${String(id === value)} onClick=${() => onChange(id)}>${text}</button>`)}</div>`;

/** @param {{status: number}} props */
export const Status = ({ status }) => html`<span class=${cls("status", status === 0 ? "s5" : `s${Math.floor(status / 100)}`)}>${status || "failed"}</span>`;
