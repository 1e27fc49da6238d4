// Lines over time; the legend says the values under the pointer, or the last ones.
import { html, useEffect, useMemo, useRef, useState } from "./dom.js";
import { settings } from "./state.js";
import { uPlot } from "../vendor.js";

const HEIGHT = 170;
const color = (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const short = (/** @type {number|null|undefined} */ n) => (n === null || n === undefined ? "–" : n >= 10_000 ? `${(n / 1000).toFixed(0)}k` : n >= 100 ? n.toFixed(0) : n >= 1 ? n.toFixed(1) : n === 0 ? "0" : n.toFixed(2));

/** A time of day, with seconds. @param {number} seconds since 1970 */
const clock = seconds => {
  const date = new Date(seconds * 1000);
  return settings.value.utc ? date.toISOString().slice(11, 19) : date.toTimeString().slice(0, 8);
};

/** @param {{title: string, unit: string, times: number[], lines: [string, (number|null)[], string][]}} props */
export function Chart({ title, unit, times, lines }) {
  const host = useRef(/** @type {any} */ (null));
  const plot = useRef(/** @type {any} */ (null));
  const [at, setAt] = useState(/** @type {number|null} */ (null));
  const names = lines.map(([name]) => name).join("|");
  const dark = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  useEffect(() => {
    const axis = { stroke: color("--quiet"), grid: { stroke: color("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const make = () => {
      if (!host.current) return;
      plot.current?.destroy();
      plot.current = new uPlot(
        {
          width: host.current.clientWidth, height: HEIGHT, legend: { show: false }, padding: [8, 28, 0, 0],
          cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
          scales: { y: { range: (/** @type {any} */ _, /** @type {number} */ low, /** @type {number} */ high) => [0, Math.max(high * 1.1, 1)] } },
          axes: [{ ...axis, space: 80, size: 28, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(clock) }, { ...axis, size: 44, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map(short) }],
          series: [{}, ...lines.map(([label, , c]) => ({ label, stroke: color(`--c${c}`), width: 1.75, points: { show: false }, spanGaps: true }))],
          hooks: { setCursor: [(/** @type {any} */ u) => setAt(u.cursor.idx ?? null)] },
        },
        [times, ...lines.map(([, values]) => values)],
        host.current,
      );
    };
    make();
    const size = new ResizeObserver(() => host.current && plot.current?.setSize({ width: host.current.clientWidth, height: HEIGHT }));
    size.observe(host.current);
    dark.addEventListener("change", make);
    return () => (size.disconnect(), dark.removeEventListener("change", make), plot.current?.destroy(), (plot.current = null));
  }, [names, settings.value.theme]);
  useEffect(() => plot.current?.setData([times, ...lines.map(([, values]) => values)]), [times.length, times.at(-1)]);
  const index = at ?? times.length - 1;
  return html`
    <figure class="chart"><figcaption><h2>${title}</h2><span class="quiet small">${unit}</span></figcaption>
      <div class="plot" ref=${host} aria-hidden="true"></div>
      <ul class="legend">${lines.map(([name, values, c]) => html`<li><span class=${`dot c${c}`} aria-hidden="true"></span>${name} <b>${short(values[index])}</b></li>`)}</ul>
    </figure>`;
}
