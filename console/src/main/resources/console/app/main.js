// Begins here: reads config.json, then shows the sign-in or the page that the address names.
import { Component, effect, html, render } from "./dom.js";
import { account, config, route, settings } from "./state.js";
import { readConfig, renew, resume } from "./api.js";
import { follow } from "./route.js";
import { listen } from "./keys.js";
import { Frame } from "./frame.js";
import { SignInPage } from "./signin.js";
import { Button, Empty } from "./ui.js";
import { places } from "./tree.js";
import { Collection, tabs } from "./collection.js";
import { Aggregations } from "./aggregations.js";
import { Live } from "./live.js";
import { Metrics } from "./metrics.js";
import { Indexes } from "./indexes.js";
import { Try } from "./try.js";
import { Transfer } from "./transfer.js";
import { Schema } from "./schema.js";
import { Properties } from "./meta.js";
import { Api } from "./apipage.js";
import { Access } from "./access.js";
import { Home } from "./home.js";
import { visible } from "./format.js";
import { Settings } from "./settings.js";
import { Docs } from "./docs.js";

/** @type {Record<string, any>} */
const pages = { home: Home, db: Home, c: Collection, metrics: Metrics, api: Api, try: Try, access: Access, settings: Settings, docs: Docs };

tabs.push({ id: "aggregations", text: "Aggregations", page: "aggregations", Page: Aggregations }, { id: "live", text: "Live", page: "live", Page: Live }, { id: "schema", text: "Schema", page: "schema", Page: Schema }, { id: "indexes", text: "Indexes", page: "indexes", Page: Indexes }, { id: "transfer", text: "Import and export", page: "export import", Page: Transfer }, { id: "properties", text: "Properties", page: "properties", Page: Properties });

const chosen = (/** @type {string} */ name) => config.value.pages.includes(name);

places.push({ name: "access", text: "Access", icon: "access", shown: () => chosen("access") && Boolean(config.value.access) }, { name: "api", text: "API", icon: "book", shown: () => chosen("api") && Boolean(config.value.openapi) }, { name: "try", text: "Try", icon: "send", shown: () => chosen("try") }, { name: "metrics", text: "Metrics", icon: "metrics", shown: () => chosen("metrics") && Boolean(config.value.metrics) }, { name: "docs", text: "Documentation", icon: "question", shown: () => true }, { name: "settings", text: "Settings", icon: "settings", shown: () => true });

/** What an address leads to that names no page. */
const Nowhere = () => html`<div class="page"><${Empty} icon="search" title=${`There is no page “${visible(route.value.name)}”`} text="The URL may be misspelled."><a class="button" href="#/">Home</a></${Empty}></div>`;

/** A fault of the console itself ends a page, never the frame. */
class Boundary extends Component {
  constructor() {
    super();
    this.state = { error: null };
  }

  componentDidCatch(/** @type {Error} */ error) {
    this.setState({ error });
  }

  componentDidUpdate(/** @type {any} */ before) {
    if (before.place !== this.props.place && this.state.error) this.setState({ error: null });
  }

  render() {
    const { error } = /** @type {any} */ (this.state);
    if (!error) return this.props.children;
    return html`<div class="page"><${Empty} icon="warning" title="This page has failed" text="The rest of the console works. Please report this message."><${Button} onClick=${() => this.setState({ error: null })}>Show the page again</${Button}></${Empty}><pre class="text-view">${String(error.stack || error)}</pre></div>`;
  }
}

function App() {
  if (!config.value) return null;
  if (!account.value) return html`<${SignInPage} />`;
  const place = route.value.name + "/" + route.value.path.join("/");
  const nameable = !route.value.path.some(name => name === "." || name === "..");
  const Page = (nameable && Object.hasOwn(pages, route.value.name) && pages[route.value.name]) || Nowhere;
  return html`<${Frame}><${Boundary} place=${place}><${Page} key=${route.value.name} /></${Boundary}></${Frame}>`;
}

effect(() => {
  const { theme } = settings.value;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
});

effect(() => {
  const { name, path } = route.value;
  document.title = `${name === "c" || name === "db" ? path.join("/") || "/" : name === "api" ? "API" : name[0].toUpperCase() + name.slice(1)} · ${config.value?.title || "RESTHeart"}`;
});

follow();
listen();
setInterval(renew, 15_000);
await readConfig();
await resume();
render(html`<${App} />`, /** @type {Element} */ (document.getElementById("app")));
