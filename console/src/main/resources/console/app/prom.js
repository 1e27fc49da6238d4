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

/** A quantile of all summaries, each weighed by how often it was used. @param {Sample[]} samples @param {string} name @param {string} quantile @param {(labels: Record<string, string>) => number} weight */
export function quantile(samples, name, quantile, weight) {
  let sum = 0;
  let weights = 0;
  for (const one of samples) {
    if (one.name !== name || one.labels.quantile !== quantile || !Number.isFinite(one.value)) continue;
    const w = weight(one.labels);
    sum += w * one.value;
    weights += w;
  }
  return weights ? sum / weights : null;
}

/** All values of a label. @param {Sample[]} samples @param {string} name @param {string} label */
export const values = (samples, name, label) => [...new Set(samples.filter(one => one.name === name).map(one => one.labels[label]))].sort();
