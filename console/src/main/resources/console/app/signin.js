// Saying who one is: the first page, the dialog over a page whose session has ended, and a new password for the default one.
import { html, useEffect, useState } from "./dom.js";
import { account, changeSettings, config, defaultPassword, settings, signInAgain, toast } from "./state.js";
import { canStay, dataPath, request, signIn, signOut } from "./api.js";
import { Button, Dialog, Failure, Field } from "./ui.js";
import { known } from "./resources.js";
import { lasting } from "./format.js";

/** The default account of a fresh gateway: after signing in with it a new password is asked for. */
const FRESH = { name: "admin", password: "secret" };

function Form({ name, fixed, onDone, action }) {
  const [who, setWho] = useState(name || "");
  const [password, setPassword] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const [wait, setWait] = useState(0);
  useEffect(() => {
    if (wait <= 0) return undefined;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setBusy(true);
    setError("");
    try {
      await signIn(who, password);
      defaultPassword.value = who === FRESH.name && password === FRESH.password;
      setPassword("");
      onDone?.();
    } catch (/** @type {any} */ failure) {
      if (failure.retryAfter) setWait(failure.retryAfter);
      setError(failure.status === 401 || failure.status === 429 ? (failure.retryAfter ? "Too many attempts." : "Account and password do not match.") : failure.message);
    }
    setBusy(false);
  };
  return html`
    <form class="stack" onSubmit=${submit}>
      <${Field} label="Account"><input name="username" autocomplete="username" required autofocus=${!fixed} readonly=${fixed} spellcheck=${false} autocapitalize="none" value=${who} onInput=${(/** @type {any} */ e) => setWho(e.target.value)} /></${Field}>
      <${Field} label="Password" error=${error && error + (wait > 0 ? ` Try again in ${wait} s.` : "")}><input name="password" type="password" autocomplete="current-password" required autofocus=${fixed} value=${password} onInput=${(/** @type {any} */ e) => setPassword(e.target.value)} /></${Field}>
      ${!fixed && canStay() && html`<label class="check"><input type="checkbox" name="stay" checked=${settings.value.stay} onChange=${(/** @type {any} */ e) => changeSettings({ stay: e.target.checked })} /><span>${config.value.cookie.seconds ? `Stay signed in for ${lasting(config.value.cookie.seconds)}` : "Stay signed in"}<span class="hint">Counted from the last use. A reload keeps you signed in. Not for shared computers.</span></span></label>`}
      <button type="submit" class="button primary wide" disabled=${busy || wait > 0}><span>${busy ? "Signing in…" : action}</span></button>
    </form>`;
}

export const SignInPage = () => html`
  <main class="signin">
    <div class="card">
      <h1><img src="${new URL("../icon.svg", import.meta.url).pathname}" alt="" width="28" height="28" />RESTHeart</h1>
      <p class="quiet">${config.value.title === "default" ? "Sign in with an account of this gateway." : html`Sign in to <b>${config.value.title}</b>`}</p>
      <${Form} action="Sign in" />
    </div>
    <p class="quiet small">RESTHeart ${config.value.version}</p>
  </main>`;

export const SignInAgain = () => html`
  <${Dialog} title="Sign in again" must>
    <p class="quiet">${signInAgain.value.reason}</p>
    <${Form} name=${account.value.name} fixed action="Sign in" onDone=${signInAgain.value.done} />
    <div class="row end"><${Button} kind="plain" onClick=${() => (signInAgain.value = null, signOut())}>Sign out instead</${Button}></div>
  </${Dialog}>`;

/** A new password of one's own. @param {{fresh?: boolean, onClose: () => void}} props fresh: the present one is that which everybody knows */
export function NewPassword({ fresh, onClose }) {
  const [present, setPresent] = useState("");
  const [one, setOne] = useState("");
  const [two, setTwo] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setError(null);
    try {
      if (!fresh) await signIn(account.value.name, present).catch(failure => Promise.reject(failure.status === 401 ? new Error("The current password is wrong.") : failure));
      const accounts = known().find(node => node.holds === "accounts")?.path ?? ["users"];
      await request("PATCH", dataPath([...accounts, account.value.name]), { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ password: one }), quiet: true, secret: true });
      onClose();
      await signIn(account.value.name, one);
      toast("The password is changed", "good");
    } catch (failure) {
      setError(failure);
    }
  };
  return html`
    <${Dialog} title=${fresh ? "Choose a password" : "Change the password"} onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        ${fresh && html`<p>This account still has the default password. Choose another one before others can reach this gateway.</p>`}
        <input type="text" name="username" autocomplete="username" value=${account.value.name} hidden readonly />
        ${!fresh && html`<${Field} label="Current password"><input type="password" autocomplete="current-password" required autofocus value=${present} onInput=${(/** @type {any} */ e) => setPresent(e.target.value)} /></${Field}>`}
        <${Field} label="New password" hint="At least 8 characters. A few words are better than a few special characters."><input type="password" autocomplete="new-password" minlength="8" maxlength="72" required autofocus=${fresh} value=${one} onInput=${(/** @type {any} */ e) => setOne(e.target.value)} /></${Field}>
        <${Field} label="Repeat the new password" error=${two && one !== two ? "The two differ." : ""}><input type="password" autocomplete="new-password" required value=${two} onInput=${(/** @type {any} */ e) => setTwo(e.target.value)} /></${Field}>
        ${error && html`<${Failure} error=${error}>${error.status === 403 && html`<span>This needs a permission. “Own password” is a template for it.</span>`}</${Failure}>`}
        <div class="row end"><${Button} onClick=${onClose}>${fresh ? "Later" : "Cancel"}</${Button}><button type="submit" class="button primary" disabled=${one.length < 8 || one !== two}><span>Change it</span></button></div>
      </form>
    </${Dialog}>`;
}
