// Changes as they happen.
import { cls, html, useEffect, useMemo, useRef, useState } from "./dom.js";
import { address, dataPath, target } from "./api.js";
import { parse } from "./shell.js";
import { at, inline, print } from "./shellprint.js";
import { useLoad } from "./load.js";
import { Button, CopyButton, Empty, Failure, Loading } from "./ui.js";
import { problem } from "./editor.js";
import { follow } from "./sse.js";
import { quote } from "./curl.js";
import { count, cut, visible } from "./format.js";
import { avarsOf, described, Variables, variables } from "./variables.js";
import { change, mayWrite, properties } from "./resources.js";

const KEPT = 500;
const STATES = { connecting: "Connecting…", open: "Listening", waiting: "Connection lost: trying again", refused: "Refused", off: "Stopped" };

export function Live({ path }) {
  const meta = useLoad(signal => properties(path, signal), [path.join("/")]);
  const streams = at(meta.data?.document || { t: "null" }, "streams")?.a || [];
  return html`<${Loading} busy=${meta.busy} onCancel=${meta.cancel}>
    ${meta.error && html`<${Failure} error=${meta.error}><${Button} small icon="refresh" onClick=${meta.again}>Try again</${Button}></${Failure}>`}
    ${meta.data && !streams.length && html`<${Declare} path=${path} meta=${meta} />`}
    ${streams.length > 0 && html`<${Stream} path=${path} streams=${streams} />`}
  </${Loading}>`;
}

function Declare({ path, meta }) {
  const [error, setError] = useState(/** @type {any} */ (null));
  const declare = () => change(path, `{streams: [{uri: "all", stages: []}]}`, meta.data.tag).then(meta.again, setError);
  return html`<${Empty} icon="play" title="This collection has no stream" text="A stream is a named pipeline over the changes of a collection. It is stored in the collection's properties, and clients listen to it.">
    <div class="stack center"><pre class="line">${`curl -u "$RH_USER" -X PATCH ${quote(address(dataPath(path)))} \\\n  -H 'Content-Type: application/json' -d '{"streams": [{"uri": "all", "stages": []}]}'`}</pre>
      ${error && html`<${Failure} error=${error} />`}
      ${mayWrite(path, "manage") && !meta.data.hidden && html`<div class="row center"><${Button} kind="primary" icon="plus" onClick=${declare}>Create a stream of all changes</${Button}></div>`}</div></${Empty}>`;
}

function Stream({ path, streams }) {
  const names = streams.map((/** @type {any} */ one) => at(one, "uri")?.v).filter(Boolean);
  const [name, setName] = useState(names[0]);
  const [given, setGiven] = useState(/** @type {Record<string, string>} */ ({}));
  const [state, setState] = useState(/** @type {any} */ ({ state: "off" }));
  const [events, setEvents] = useState(/** @type {any[]} */ ([]));
  const [paused, setPaused] = useState(false);
  const [kind, setKind] = useState("");
  const [wanted, setWanted] = useState("");
  const [open, setOpen] = useState(/** @type {number|null} */ (null));
  const control = useRef(/** @type {AbortController|null} */ (null));
  const waiting = useRef(/** @type {any[]} */ ([]));
  const total = useRef(0);
  const times = useRef(/** @type {number[]} */ ([]));
  const asked = [...new Set(variables(streams.find((/** @type {any} */ one) => at(one, "uri")?.v === name) || { t: "null" }))];
  const avars = avarsOf(given, asked);
  const schemas = useLoad(async signal => (asked.length ? described(`${dataPath(path)}/_streams/${name}`, dataPath(path), signal) : {}), [name]);

  // shown together, a few times per second, however many come
  useEffect(() => {
    const timer = setInterval(() => {
      times.current = times.current.filter(t => t > Date.now() - 10_000);
      if (waiting.current.length && !paused) {
        const fresh = waiting.current.reverse();
        waiting.current = [];
        setEvents(old => [...fresh, ...old].slice(0, KEPT));
      } else if (times.current.length) setEvents(old => [...old]);
      if (waiting.current.length > KEPT) waiting.current = waiting.current.slice(-KEPT);
    }, 250);
    return () => clearInterval(timer);
  }, [paused]);
  useEffect(() => () => control.current?.abort(), []);

  const stop = () => {
    control.current?.abort();
    setState({ state: "off" });
  };
  const clear = () => {
    waiting.current = [];
    total.current = 0;
    setEvents([]);
  };
  const start = (/** @type {string|null} */ from) => {
    control.current?.abort();
    const abort = new AbortController();
    control.current = abort;
    const where = target(dataPath([...path, "_streams", name]), { avars, jsonMode: "shell", resumeAfter: "" });
    follow(where, {
      from,
      signal: abort.signal,
      onState: next => abort.signal.aborted || setState(next),
      onEvent: ({ id, data }) => {
        if (abort.signal.aborted) return;
        total.current++;
        times.current.push(Date.now());
        waiting.current.push({ n: total.current, at: new Date(), id, event: parse(data) });
      },
    });
  };
  const running = state.state !== "off" && !(state.state === "refused" && state.final);
  const shown = useMemo(() => {
    const text = wanted.trim().toLowerCase();
    return events.filter(one => (!kind || at(one.event, "operationType")?.v === kind) && (!text || inline(one.event).toLowerCase().includes(text)));
  }, [events, kind, wanted]);

  return html`
    <div class="toolbar">
      <label class="row tight"><span class="label">Stream</span><select value=${name} onChange=${(/** @type {any} */ e) => (stop(), clear(), setName(e.target.value))}>${names.map((/** @type {string} */ one) => html`<option value=${one}>${visible(one)}</option>`)}</select></label>
      ${running ? html`<${Button} icon="close" onClick=${stop}>Stop</${Button}>` : html`<${Button} kind="primary" icon="play" disabled=${Boolean(problem(avars || ""))} onClick=${() => start(null)}>Start</${Button}>`}
      ${running && html`<${Button} icon=${paused ? "play" : "pause"} onClick=${() => setPaused(!paused)}>${paused ? `Resume (${waiting.current.length})` : "Pause"}</${Button}>`}
      <${Button} kind="plain" disabled=${!events.length} onClick=${clear}>Clear</${Button}>
      <span class=${cls("tag", state.state === "open" ? "good" : state.state === "refused" ? "bad" : running && "warn")} role="status">${STATES[state.state]}</span>
      <span class="spring"></span>
      <span class="quiet nowrap">${count(total.current)} ${total.current === 1 ? "event" : "events"}, ${(times.current.length / 10).toFixed(1)} per second</span>
      <${CopyButton} text=${() => `curl -N -u "$RH_USER" -H 'Accept: text/event-stream' ${quote(address(target(dataPath([...path, "_streams", name]), { avars })))}`} label="Copy as a curl line">curl</${CopyButton}>
    </div>
    <div class="toolbar">
      <label class="row tight"><span class="label">Operation</span><select value=${kind} onChange=${(/** @type {any} */ e) => setKind(e.target.value)}><option value="">all</option>${["insert", "update", "replace", "delete"].map(one => html`<option>${one}</option>`)}</select></label>
      <input type="search" aria-label="Text in the event" placeholder="Text in the event" value=${wanted} onInput=${(/** @type {any} */ e) => setWanted(e.target.value)} />
    </div>
    ${asked.length > 0 && html`<section class="panel slim" aria-label="Variables"><${Variables} names=${asked} schemas=${schemas.data || {}} given=${given} onChange=${setGiven} onRun=${() => start(null)} /></section>`}
    ${state.state === "refused" && html`<${Failure} error=${{ status: state.status, message: state.status === 410 ? "MongoDB no longer has the changes since that event. Start again: changes in between are not shown." : state.message || `The stream was refused (${state.status}).` }} />`}
    ${!events.length && html`<${Empty} icon="play" title=${state.state === "open" ? "Waiting for changes" : "Not listening"} text=${state.state === "open" ? "Inserts, updates and deletions appear here as they happen." : "Start the stream. From then on every change is shown once and in order."} />`}
    ${events.length > 0 && !shown.length && html`<${Empty} icon="search" title="No event matches" />`}
    <ul class="events" aria-label="Events, newest first">${shown.map(one => html`<${Event} key=${one.n} one=${one} open=${open === one.n} onToggle=${() => setOpen(open === one.n ? null : one.n)} onBegin=${() => (setEvents([]), start(one.id))} />`)}</ul>`;
}

const COLORS = { insert: "good", delete: "bad", update: "accent", replace: "accent" };

function Event({ one, open, onToggle, onBegin }) {
  const kind = at(one.event, "operationType")?.v || "?";
  const id = at(one.event, "documentKey._id");
  const told = at(one.event, kind === "update" ? "updateDescription.updatedFields" : "fullDocument");
  return html`
    <li class=${cls("event", open && "open")}>
      <button type="button" aria-expanded=${String(open)} onClick=${onToggle}>
        <span class="quiet mono nowrap">${one.at.toISOString().slice(11, 23)}</span><span class=${cls("tag", COLORS[kind])}>${kind}</span><code class="nowrap">${id ? cut(visible(inline(id)), 40) : ""}</code><code class="quiet rest">${told ? cut(visible(inline(told)), 240) : ""}</code>
      </button>
      ${open && html`<div class="event-body">${kind === "update" && html`<${Difference} event=${one.event} />`}<pre>${print(one.event)}</pre>
        <div class="row"><span class="quiet small">token <code>${cut(one.id, 60)}</code></span><${CopyButton} text=${one.id} label="Copy the token" /><${Button} small onClick=${onBegin}>Resume from here</${Button}></div></div>`}
    </li>`;
}

/** What an update has changed, field by field. */
const Difference = ({ event }) => html`<table class="plain"><thead><tr><th scope="col">Field</th><th scope="col">New value</th></tr></thead><tbody>
  ${(at(event, "updateDescription.updatedFields")?.e || []).map((/** @type {any} */ [name, value]) => html`<tr><th scope="row"><code>${visible(name)}</code></th><td><code>${cut(visible(inline(value)), 300)}</code></td></tr>`)}
  ${(at(event, "updateDescription.removedFields")?.a || []).map((/** @type {any} */ name) => html`<tr><th scope="row"><code>${visible(name.v)}</code></th><td class="quiet">removed</td></tr>`)}
</tbody></table>`;
