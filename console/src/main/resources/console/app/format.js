// Texts as they are shown: nothing hidden in them, nothing too long.

// Controls, invisible characters and those that turn the direction of text round.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** A name or a value in one line: what cannot be seen is escaped. @param {string} text */
export const visible = text =>
  String(text).replace(HIDDEN, c => (c === "\n" ? "\\n" : c === "\t" ? "\\t" : "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));

/** @param {string} text @param {number} length */
export const cut = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);

/** @param {number} n */
export const count = n => new Intl.NumberFormat("en").format(n);

/** @param {number} bytes */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  for (const [unit, of] of /** @type {[string, number][]} */ ([["kB", 1e3], ["MB", 1e6], ["GB", 1e9]])) {
    if (bytes < of * 1000 || unit === "GB") return `${(bytes / of).toFixed(bytes < of * 10 ? 1 : 0)} ${unit}`;
  }
  return "";
}

/** @param {number} ms */
export const duration = ms =>
  ms < 1 ? "<1 ms" : ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;

/** A time in its largest whole unit. @param {number} seconds */
export function lasting(seconds) {
  for (const [unit, of] of /** @type {[string, number][]} */ ([["day", 86_400], ["hour", 3600], ["minute", 60]])) if (seconds >= of) return plural(Math.floor(seconds / of), unit);
  return plural(seconds, "second");
}

/** "1 document", "2 documents". @param {number} n @param {string} noun */
export const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : noun.endsWith("x") ? "es" : "s"}`;
