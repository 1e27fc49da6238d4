// The gateway at work: what it counts, every two seconds.
import { html, useEffect, useRef, useState } from "./dom.js";
import { config } from "./state.js";
import { ApiError, request } from "./api.js";
import { greatest, once, parseMetrics, quantile, total, values } from "./prom.js";
import { Chart } from "./chart.js";
import { Help } from "./help.js";
import { Choice, Empty, Failure } from "./ui.js";
import { count } from "./format.js";

const EVERY = 2000;
const KEPT = 450; // 15 minutes

/** Scrapes outlast the page: the charts go on where they were. @type {{points: any[], last: any}} */
const kept = { points: [], last: null };

async function scrape(/** @type {string[]} */ registries, /** @type {AbortSignal} */ signal) {
  const texts = await Promise.all(registries.map(async path => {
    const answer = await request("GET", config.value.metrics + path.split("/").map(encodeURIComponent).join("/").replace(/%7B/g, "{").replace(/%7D/g, "}").replace(/%2A/g, "*"), { signal, quiet: true, any: true });
    return answer.status === 200 ? answer.text : "";
  }));
  return once(parseMetrics(texts.join("\n")));
}

/** Colors of kinds of requests; red is for failures. @type {Record<string, string>} */
const COLORS = { insert: "2", update: "3", query: "5", read: "6", bulk_insert: "7", delete: "8" };

const statusClass = (/** @type {string} */ digit) => (/** @type {any} */ labels) => (labels.response_status_code || "")[0] === digit;

/** What happened between two scrapes. @param {any} before @param {any} now */
function point(before, now) {
  const seconds = (now.at - before.at) / 1000;
  const grown = (/** @type {string} */ name, /** @type {any} */ fits = undefined) => Math.max(0, total(now.samples, name, fits) - total(before.samples, name, fits));
  const rate = (/** @type {string} */ name, /** @type {any} */ fits = undefined) => grown(name, fits) / seconds;
  const kinds = values(now.samples, "coalescing_batch_size_count", "kind");
  const factor = (/** @type {any} */ fits) => {
    const batches = grown("coalescing_batch_size_count", fits);
    return batches ? grown("coalescing_batch_size_sum", fits) / batches : null;
  };
  const key = (/** @type {any} */ labels) => `${labels.request_method}|${labels.path_template}|${labels.response_status_code}`;
  const used = new Map();
  for (const one of now.samples) if (one.name === "http_requests_duration_count") used.set(key(one.labels), one.value);
  for (const one of before.samples) if (one.name === "http_requests_duration_count") used.set(key(one.labels), (used.get(key(one.labels)) || 0) - one.value);
  const latency = (/** @type {number} */ q) => {
    const value = quantile(now.samples, "http_requests_duration", q, labels => Math.max(0, used.get(key(labels)) || 0));
    return value === null ? null : value * 1000;
  };
  const heap = total(now.samples, "jvm_mem_heap_used");
  return {
    at: now.at / 1000,
    ok: rate("http_requests_count", (/** @type {any} */ l) => statusClass("2")(l) || statusClass("3")(l)),
    refused: rate("http_requests_count", statusClass("4")),
    failed: rate("http_requests_count", statusClass("5")),
    p50: latency(0.5), p95: latency(0.95), p99: latency(0.99),
    inFlight: total(now.samples, "gateway_requests_in_flight"),
    bound: total(now.samples, "gateway_requests_in_flight_max"),
    rejected: rate("gateway_requests_rejected_total"),
    factor: factor(undefined),
    kinds: Object.fromEntries(kinds.map(kind => [kind, factor((/** @type {any} */ l) => l.kind === kind)])),
    commands: rate("coalescing_batch_size_count"), carried: rate("coalescing_batch_size_sum"),
    waited: grown("coalescing_wait_seconds_count") ? (grown("coalescing_wait_seconds_sum") / grown("coalescing_wait_seconds_count")) * 1000 : null,
    turned: rate("coalescing_refused_total"), abandoned: rate("coalescing_abandoned_total"),
    listeners: total(now.samples, "streams_listeners"), events: rate("streams_events_total"), messages: rate("streams_messages_total"),
    lag: grown("streams_lag_seconds_count") ? (grown("streams_lag_seconds_sum") / grown("streams_lag_seconds_count")) * 1000 : null,
    pages: Object.fromEntries(["hit", "leased", "miss"].map(outcome => [outcome, rate("cursor_pool_pages_total", (/** @type {any} */ l) => l.outcome === outcome)])),
    pool: total(now.samples, "mongodb_driver_pool_size"), out: total(now.samples, "mongodb_driver_pool_checkedout"), queue: total(now.samples, "mongodb_driver_pool_waitqueuesize"),
    heap: heap ? heap / 1e6 : null, heapMax: greatest(now.samples, "jvm_mem_heap_max"),
    gc: Object.keys(Object.fromEntries(now.samples.filter((/** @type {any} */ s) => /^jvm_garbage_collector_.*_time$/.test(s.name)).map((/** @type {any} */ s) => [s.name, 1]))).reduce((sum, name) => sum + grown(name), 0) / seconds,
  };
}

export function Metrics() {
  const [, tick] = useState(0);
  const [error, setError] = useState(/** @type {any} */ (null));
  const [registries, setRegistries] = useState(/** @type {string[]} */ ([]));
  const [minutes, setMinutes] = useState("5");
  const running = useRef(true);
  useEffect(() => {
    const abort = new AbortController();
    let timer = 0;
    const step = async () => {
      if (!running.current) return;
      if (!document.hidden) {
        try {
          const answer = await request("GET", config.value.metrics, { signal: abort.signal, quiet: true, any: true, headers: { Accept: "application/json" } });
          if (answer.status !== 200) throw new ApiError(answer);
          const paths = JSON.parse(answer.text).filter((/** @type {string} */ path) => path !== "/data-api");
          setRegistries(paths);
          const now = { at: Date.now(), samples: await scrape(paths, abort.signal) };
          if (kept.last && now.at - kept.last.at < 15_000) kept.points = [...kept.points, point(kept.last, now)].slice(-KEPT);
          kept.last = now;
          setError(null);
          tick(n => n + 1);
        } catch (failure) {
          if (!abort.signal.aborted) setError(failure);
        }
      }
      if (running.current) timer = setTimeout(step, EVERY);
    };
    step();
    return () => ((running.current = false), abort.abort(), clearTimeout(timer));
  }, []);
  if (error?.status === 403) return html`<div class="page"><div class="page-head"><h1>Metrics</h1></div><${Empty} icon="access" title="You may not see metrics" text=${html`A permission for <code>GET ${config.value.metrics}</code> shows them.`} /></div>`;

  const points = kept.points.filter(one => one.at * 1000 > Date.now() - Number(minutes) * 60_000);
  const last = points.at(-1);
  const kinds = last ? Object.keys(last.kinds).filter(kind => points.some(one => one.kinds[kind])) : [];
  const series = (/** @type {(one: any) => any} */ of) => points.map(of);
  const times = series(one => one.at);
  const one = (/** @type {number|null|undefined} */ n, digits = 0) => (n === null || n === undefined ? "–" : n >= 1000 ? count(Math.round(n)) : n.toFixed(digits));
  const busiest = points.reduce((most, p) => Math.max(most, p.factor || 0), 0);
  return html`
    <div class="page">
      <div class="page-head"><h1>Metrics</h1><span class="spring"></span><${Help} page="reference/metrics" about="metrics" /></div>
      <div class="toolbar"><${Choice} label="Time shown" value=${minutes} options=${[["1", "1 min"], ["5", "5 min"], ["15", "15 min"]]} onChange=${setMinutes} /><span class="spring"></span><span class="quiet small">Updated every two seconds from <code>${config.value.metrics}</code>. Paused while this tab is hidden.</span></div>
      ${error && html`<${Failure} error=${error} />`}
      <dl class="tiles">
        <div><dt>Requests per second</dt><dd>${last ? one(last.ok + last.refused + last.failed, 1) : "–"}</dd></div>
        <div class="main"><dt>Coalescing factor</dt><dd>${last ? one(last.factor, 1) : "–"}<small>${busiest ? `at most ${busiest.toFixed(1)}` : "requests per command"}</small></dd></div>
        <div><dt>p99 latency</dt><dd>${last ? one(last.p99, 1) : "–"}<small>ms</small></dd></div>
        <div><dt>In flight</dt><dd>${last ? one(last.inFlight) : "–"}<small>of ${last?.bound ? count(last.bound) : "no bound"}</small></dd></div>
        <div><dt>Rejected, at capacity</dt><dd>${last ? one(last.rejected + last.turned, 1) : "–"}<small>per second</small></dd></div>
        <div><dt>Stream listeners</dt><dd>${last ? one(last.listeners) : "–"}</dd></div>
      </dl>
      ${!points.length && !error && html`<p class="quiet">The first values appear after a few seconds.</p>`}
      ${points.length > 1 && html`<div class="charts">
        <${Chart} title="Requests" unit="/s" times=${times} lines=${[["answered", series(p => p.ok), "1"], ["refused (4xx)", series(p => p.refused), "3"], ["failed (5xx)", series(p => p.failed), "4"]]} />
        <${Chart} title="Coalescing factor" unit="requests per command" times=${times} lines=${[["all", series(p => p.factor), "1"], ...kinds.map(kind => [kind.replace("_", " "), series(p => p.kinds[kind] ?? null), COLORS[kind] || "5"])]} />
        <${Chart} title="Latency" unit="ms" times=${times} lines=${[["p50", series(p => p.p50), "2"], ["p95", series(p => p.p95), "1"], ["p99", series(p => p.p99), "3"]]} />
        <${Chart} title="Requests and commands" unit="/s" times=${times} lines=${[["requests carried", series(p => p.carried), "1"], ["commands to MongoDB", series(p => p.commands), "2"]]} />
        <${Chart} title="In flight and rejected" unit="" times=${times} lines=${[["in flight", series(p => p.inFlight), "1"], ["rejected /s", series(p => p.rejected + p.turned), "4"], ["abandoned /s", series(p => p.abandoned), "3"]]} />
        <${Chart} title="MongoDB connections" unit="" times=${times} lines=${[["open", series(p => p.pool), "2"], ["in use", series(p => p.out), "1"], ["waiting", series(p => p.queue), "4"]]} />
        <${Chart} title="Deep pages" unit="/s" times=${times} lines=${[["from a bookmark", series(p => p.pages.hit), "1"], ["from a cursor", series(p => p.pages.leased), "2"], ["by skipping", series(p => p.pages.miss), "4"]]} />
        <${Chart} title="Streams" unit="/s" times=${times} lines=${[["events", series(p => p.events), "1"], ["messages", series(p => p.messages), "2"]]} />
        <${Chart} title="Delays" unit="ms" times=${times} lines=${[["waiting to be coalesced", series(p => p.waited), "1"], ["from a change to its listeners", series(p => p.lag), "2"]]} />
        ${last?.heap && html`<${Chart} title="Heap" unit="MB" times=${times} lines=${[["used", series(p => p.heap), "1"], ["GC ms/s", series(p => p.gc), "3"]]} />`}
      </div>`}
      <div class="row quiet small"><span>As text:</span>${registries.map(path => html`<${AsText} path=${path} />`)}</div>
    </div>`;
}

function AsText({ path }) {
  const [text, setText] = useState(/** @type {string|null} */ (null));
  const toggle = async () => setText(text === null ? (await request("GET", config.value.metrics + path)).text : null);
  return html`<button type="button" class="link target" aria-expanded=${String(text !== null)} onClick=${toggle}>${path}</button>${text !== null && html`<pre class="text-view whole" tabindex="0" aria-label=${path}>${text}</pre>`}`;
}
