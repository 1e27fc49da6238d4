// What the person prefers.
import { html } from "./dom.js";
import { changeSettings, settings } from "./state.js";
import { Choice, Field } from "./ui.js";
import { Help } from "./help.js";

const Check = ({ name, label, hint }) => html`<label class="check"><input type="checkbox" checked=${settings.value[name]} onChange=${(/** @type {any} */ e) => changeSettings({ [name]: e.target.checked })} /><span>${label}<span class="hint">${hint}</span></span></label>`;

export const Settings = () => html`
  <div class="page narrow-page">
    <div class="page-head"><h1>Settings</h1><span class="spring"></span><${Help} page="how-to/console" about="the console" /></div>
    <div class="panel stack">
      <div class="field"><span class="label">Theme</span><${Choice} label="Theme" value=${settings.value.theme} options=${[["system", "System"], ["light", "Light"], ["dark", "Dark"]]} onChange=${(/** @type {string} */ theme) => changeSettings({ theme })} /></div>
      <div class="field"><span class="label">Table density</span><${Choice} label="Density" value=${settings.value.density} options=${[["normal", "Normal"], ["dense", "Dense"]]} onChange=${(/** @type {string} */ density) => changeSettings({ density })} /></div>
      <${Field} label="Documents per page"><select value=${settings.value.pageSize} onChange=${(/** @type {any} */ e) => changeSettings({ pageSize: Number(e.target.value) })}>${[20, 50, 100, 500].map(n => html`<option value=${n}>${n}</option>`)}</select></${Field}>
      <${Check} name="utc" label="Dates in UTC" hint="If off, dates are in the time zone of this computer." />
      <${Check} name="confirm" label="Ask before documents are deleted" hint="Collections and indexes always ask for their name." />
      <${Check} name="letterKeys" label="Single-key shortcuts" hint="Such as j, k, e and ?. Shortcuts with Ctrl always work." />
      <p class="quiet small">The console stores nothing but these settings in this browser.</p>
    </div>
  </div>`;
