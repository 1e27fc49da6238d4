// As much of Markdown as the documentation uses, as blocks. Knows nothing of the page.

/** @typedef {{kind: string, text?: string, level?: number, rows?: string[][], items?: Block[][], ordered?: boolean, inner?: Block[]}} Block */

/** How a heading is named in links. @param {string} text */
export const slug = text => text.toLowerCase().replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

const ITEM = /^( {0,3})([-*]|\d+\.)\s+/;
const cells = (/** @type {string} */ line) => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map(cell => cell.trim().replace(/\\\|/g, "|"));

/** @param {string} text @returns {Block[]} */
export function blocks(text) {
  const lines = text.replace(/\r/g, "").replace(/<!--[^]*?-->/g, "").split("\n");
  /** @type {Block[]} */
  const found = [];
  let i = 0;
  /** The lines from here on for which something holds. @param {(line: string, n: number) => boolean} holds */
  const taken = holds => {
    const begin = i;
    while (i < lines.length && holds(lines[i], i - begin)) i++;
    return lines.slice(begin, i);
  };
  const begins = (/** @type {string} */ line) => !line.trim() || /^(#{1,6} |```|>|\|)/.test(line) || ITEM.test(line);
  while (i < lines.length) {
    const line = lines[i];
    const heading = /^(#{1,6}) (.*)$/.exec(line);
    const fence = /^(`{3,})/.exec(line);
    const item = ITEM.exec(line);
    if (!line.trim()) i++;
    else if (heading) (found.push({ kind: "heading", level: heading[1].length, text: heading[2].trim() }), i++);
    else if (fence) {
      i++;
      found.push({ kind: "code", text: taken(one => !one.startsWith(fence[1])).join("\n") });
      i++;
    } else if (/^ {4}/.test(line)) found.push({ kind: "code", text: taken(one => /^( {4}|\s*$)/.test(one)).map(one => one.slice(4)).join("\n").trimEnd() });
    else if (line[0] === ">") found.push({ kind: "quote", inner: blocks(taken(one => one[0] === ">").map(one => one.replace(/^> ?/, "")).join("\n")) });
    else if (line[0] === "|") found.push({ kind: "table", rows: taken(one => one[0] === "|").map(cells).filter((_, n) => n !== 1) });
    else if (item) {
      const ordered = /\d/.test(item[2]);
      const items = [];
      for (let next = ITEM.exec(lines[i] || ""); next && /\d/.test(next[2]) === ordered; next = ITEM.exec(lines[i] || "")) {
        const indent = next[0].length;
        const own = taken((one, n) => n === 0 || (!one.trim() ? /^ {2,}\S/.test(lines[i + 1] || "") : /^ {2,}/.test(one) || !begins(one)));
        items.push(blocks(own.map((one, n) => (n === 0 ? one.slice(indent) : one.replace(new RegExp(`^ {0,${indent}}`), ""))).join("\n")));
      }
      found.push({ kind: "list", ordered, items });
    } else found.push({ kind: "paragraph", text: taken((one, n) => n === 0 || !begins(one)).map(one => one.trim()).join(" ") });
  }
  return found;
}
