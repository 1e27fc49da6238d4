// Who may do what: the rights of anybody, accounts, permissions, keys.
import { html } from "./dom.js";
import { config, resources, route } from "./state.js";
import { Tabs } from "./ui.js";
import { href } from "./route.js";
import { Help } from "./help.js";
import { known } from "./resources.js";
import { Matrix } from "./matrix.js";
import { Accounts } from "./accounts.js";
import { Permissions } from "./permissions.js";
import { Keys } from "./apikeys.js";

/** The collection that holds accounts or permissions, if the caller may see it. @param {string} what */
const holding = what => (resources.value.state === "ready" ? known().find(node => node.holds === what) : undefined);

export function Access() {
  const [accounts, permissions] = [holding("accounts"), holding("permissions")];
  const tabs = [{ id: "rights", text: "Rights" }, accounts && { id: "accounts", text: "Accounts" }, permissions && { id: "permissions", text: "Permissions" }, config.value.apiKeys && { id: "keys", text: "API keys" }].filter(Boolean);
  const current = tabs.find(tab => tab.id === route.value.query.tab)?.id || "rights";
  return html`
    <div class="page">
      <div class="page-head"><h1>Access</h1><${Tabs} label="Parts of access" current=${current} items=${tabs.map(tab => ({ ...tab, href: href("access", [], tab.id === "rights" ? {} : { tab: tab.id }) }))} /><span class="spring"></span><${Help} ...${current === "permissions" ? { page: "reference/rules", about: "predicates, limits and recipes" } : { page: "how-to/secure", about: "accounts and permissions" }} /></div>
      ${current === "rights" && html`<${Matrix} />`}
      ${current === "accounts" && html`<${Accounts} key=${accounts.path.join("/")} path=${accounts.path} />`}
      ${current === "permissions" && html`<${Permissions} key=${permissions.path.join("/")} path=${permissions.path} />`}
      ${current === "keys" && html`<${Keys} />`}
    </div>`;
}
