// What stands around every page.
import { cls, html, useEffect, useRef, useState } from "./dom.js";
import { account, announcement, changeSettings, config, defaultPassword, network, newer, panel, readOnly, route, settings, signInAgain, toasts, why } from "./state.js";
import { Button, Dialog, Menu } from "./ui.js";
import { Icon } from "./icons.js";
import { href } from "./route.js";
import { visible } from "./format.js";
import { signOut } from "./api.js";
import { Tree } from "./tree.js";
import { Drawer } from "./drawer.js";
import { NewPassword, SignInAgain } from "./signin.js";
import { Palette } from "./palette.js";
import { KEYS } from "./keys.js";
import { Why } from "./explain.js";
import { NewCollection } from "./newcollection.js";

const nextTheme = { system: "light", light: "dark", dark: "system" };

function Header() {
  const { name, path } = route.value;
  const theme = settings.value.theme;
  return html`
    <header class="top">
      <div class="burger"><${Button} icon="menu" kind="plain" label="Collections and pages" onClick=${() => (panel.value = panel.value === "tree" ? null : "tree")} /></div>
      <a class="brand" href="#/" aria-label=${`${config.value.title === "default" ? "RESTHeart" : visible(config.value.title)}: home`}><img src=${new URL("../icon.svg", import.meta.url).pathname} alt="" width="22" height="22" /><span>${config.value.title === "default" ? "RESTHeart" : visible(config.value.title)}</span></a>
      <nav class="crumbs" aria-label="Place">
        ${(name === "c" || name === "db") && path.map((/** @type {string} */ part, /** @type {number} */ i) => html`<${Icon} name="chevron" /><a href=${href(i === path.length - 1 ? name : "db", path.slice(0, i + 1))}>${visible(part)}</a>`)}
      </nav>
      <button type="button" class="find" onClick=${() => (panel.value = "palette")}><${Icon} name="search" /><span>Find anything</span><kbd>Ctrl K</kbd></button>
      <${Button} kind="plain" icon=${theme === "dark" ? "moon" : theme === "light" ? "sun" : "contrast"} label=${`Theme: ${theme}. Change to ${nextTheme[theme]}`} onClick=${() => changeSettings({ theme: nextTheme[theme] })} />
      <${Menu} icon="user" kind="plain" text=${visible(account.value.name)} label="Account" items=${[
        !readOnly.value && { text: "Change password…", icon: "access", onClick: () => (panel.value = "password") },
        { text: "Keyboard", icon: "question", onClick: () => (panel.value = "keys") },
        { text: "Settings", icon: "settings", onClick: () => (location.hash = "#/settings") },
        { text: "Sign out", icon: "leave", onClick: signOut },
      ]} />
    </header>`;
}

function Banners() {
  const [, tick] = useState(0);
  const state = network.value.state;
  useEffect(() => {
    if (state === "ok") return undefined;
    const timer = setInterval(() => tick(n => n + 1), 500);
    return () => clearInterval(timer);
  }, [state]);
  const left = Math.max(0, Math.ceil(((network.value.until || 0) - Date.now()) / 1000));
  const own = config.value.banner;
  return html`
    ${own && html`<div class=${`banner fixed ${own.color}`}>${own.text}</div>`}
    ${state === "gone" && html`<div class="banner bad" role="status"><${Icon} name="warning" />The gateway cannot be reached. Requests wait; the next attempt is in ${left} s.</div>`}
    ${state === "busy" && html`<div class="banner warn" role="status"><${Icon} name="warning" />The gateway or its MongoDB is busy. Trying again in ${left} s.</div>`}
    ${newer.value && html`<div class="banner warn" role="status">A newer version of the console is available. <button type="button" class="link" onClick=${() => location.reload()}>Reload</button></div>`}`;
}

const Keys = () => html`
  <${Dialog} title="Keyboard" onClose=${() => (panel.value = null)}>
    <table class="keys"><tbody>${KEYS.map(([keys, text]) => html`<tr><th scope="row">${keys.split(" ").map(key => html`<kbd>${key}</kbd> `)}</th><td>${text}</td></tr>`)}</tbody></table>
  </${Dialog}>`;

/** The border of the tree, to be dragged or moved with the arrows. */
function Splitter() {
  const drag = useRef(false);
  const width = settings.value.treeWidth;
  const set = (/** @type {number} */ w) => changeSettings({ treeWidth: Math.min(480, Math.max(240, w)) });
  return html`<div class="splitter" role="separator" aria-orientation="vertical" aria-label="Width of the list" aria-valuenow=${width} aria-valuemin="240" aria-valuemax="480" tabindex="0"
    onPointerDown=${(/** @type {any} */ e) => (e.target.setPointerCapture(e.pointerId), (drag.current = true))} onPointerMove=${(/** @type {any} */ e) => drag.current && set(e.clientX)} onPointerUp=${() => (drag.current = false)}
    onKeyDown=${(/** @type {any} */ e) => (e.key === "ArrowLeft" ? set(width - 16) : e.key === "ArrowRight" && set(width + 16))}></div>`;
}

export function Frame({ children }) {
  const [creating, setCreating] = useState(false);
  return html`
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ e) => (e.preventDefault(), document.getElementById("main")?.focus())}>Skip to the content</a>
    <div class="frame">
      <${Banners} />
      <${Header} />
      <div class="middle">
        <aside class=${cls("side", panel.value === "tree" && "shown")} style=${{ width: `${settings.value.treeWidth}px` }} aria-label="Collections and pages"><${Tree} onCreate=${() => setCreating(true)} /><${Splitter} /></aside>
        ${panel.value === "tree" && html`<div class="veil" onClick=${() => (panel.value = null)}></div>`}
        <main id="main" tabindex="-1">${children}</main>
      </div>
      <${Drawer} />
    </div>
    <div class="toasts">${toasts.value.map(one => html`<div key=${one.id} class=${`toast ${one.kind}`}>${one.text}</div>`)}</div>
    <div class="sr" aria-live="polite">${announcement.value}</div>
    ${panel.value === "palette" && html`<${Palette} />`}
    ${panel.value === "keys" && html`<${Keys} />`}
    ${creating && html`<${NewCollection} onClose=${() => setCreating(false)} />`}
    ${defaultPassword.value && !readOnly.value && html`<${NewPassword} fresh onClose=${() => (defaultPassword.value = false)} />`}
    ${panel.value === "password" && html`<${NewPassword} onClose=${() => (panel.value = null)} />`}
    ${why.value && html`<${Why} key=${why.value.path} />`}
    ${signInAgain.value && html`<${SignInAgain} />`}`;
}
