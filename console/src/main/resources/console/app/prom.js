// The text format of Prometheus, and what two scrapes of it say.

/** @typedef {{name: string, labels: Record<string, string>, value: number}} Sample */

/** @param {string} text @returns {Sample[]} */
export function parseMetrics(text) {
  const samples = [];
  for (const line of text.split("\n")) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line);
    if (!found || line[0] === "#") continue;
    /** @type {Record<string, string>} */
    const labels = {};
    for (const [, key, value] of (found[2] || "").matchAll(/([a-zA-Z_]\w*)="((?:\\.|[^"\\])*)"/g)) labels[key] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
    samples.push({ name: found[1], labels, value: found[3] === "+Inf" ? Infinity : Number(found[3]) });
  }
  return samples;
}

/** The sum of the samples of a name, by those labels. @param {Sample[]} samples @param {string} name @param {(labels: Record<string, string>) => boolean} fits */
export const total = (samples, name, fits = () => true) => samples.reduce((sum, one) => (one.name === name && fits(one.labels) && Number.isFinite(one.value) ? sum + one.value : sum), 0);

/** The greatest. @param {Sample[]} samples @param {string} name @param {(labels: Record<string, string>) => boolean} fits */
export const greatest = (samples, name, fits = () => true) => samples.reduce((/** @type {number|null} */ most, one) => (one.name === name && fits(one.labels) && Number.isFinite(one.value) && (most === null || one.value > most) ? one.value : most), null);

/** Samples in which each request is counted once: several registries may count the same one. @param {Sample[]} samples */
export function once(samples) {
  const whole = samples.some(one => one.labels.path_template === "/*");
  return whole ? samples.filter(one => !one.labels.path_template || one.labels.path_template === "/*") : samples;
}

/** A quantile of all summaries together: where as many requests, weighed by how often each summary was used, are below it.
 * @param {Sample[]} samples @param {string} name @param {number} wanted 0 to 1 @param {(labels: Record<string, string>) => number} weight */
export function quantile(samples, name, wanted, weight) {
  /** @type {Map<string, {weight: number, steps: [number, number][]}>} */
  const summaries = new Map();
  for (const { name: of, labels, value } of samples) {
    if (of !== name || !labels.quantile || !Number.isFinite(value)) continue;
    const { quantile: q, ...rest } = labels;
    const key = JSON.stringify(rest);
    const one = summaries.get(key) || { weight: weight(rest), steps: [] };
    one.steps.push([value, Number(q)]);
    summaries.set(key, one);
  }
  const used = [...summaries.values()].filter(one => one.weight > 0);
  if (!used.length) return null;
  for (const { steps } of used) steps.sort((a, b) => a[1] - b[1]);
  const all = used.reduce((sum, one) => sum + one.weight, 0);
  const below = (/** @type {number} */ x) => used.reduce((sum, one) => sum + one.weight * shareBelow(one.steps, x), 0) / all;
  let [low, high] = [0, Math.max(...used.map(one => one.steps[one.steps.length - 1][0]))];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (below(middle) < wanted) low = middle;
    else high = middle;
  }
  return high;
}

/** The share of a summary below a value, straight between the quantiles that are known. @param {[number, number][]} steps @param {number} x */
function shareBelow(steps, x) {
  let [value, share] = [0, 0];
  for (const [next, q] of steps) {
    if (x < next) return share + ((q - share) * (x - value)) / (next - value);
    [value, share] = [next, q];
  }
  return 1;
}

/** All values of a label. @param {Sample[]} samples @param {string} name @param {string} label */
export const values = (samples, name, label) => [...new Set(samples.filter(one => one.name === name).map(one => one.labels[label]))].sort();
