// Texts into documents: JSON, NDJSON and CSV, with the number of the line each comes from.
import { parse } from "./shell.js";
import { inline, quoted } from "./shellprint.js";

/** Ids that depend on what is imported alone: the same file again gives the same ids. @param {string} text @param {number} n */
function idOf(text, n) {
  // four rounds of FNV-1a, with different beginnings: no secret, only a name
  let hex = "";
  for (let round = 0; round < 3; round++) {
    let hash = (0x811c9dc5 ^ (round * 0x9e3779b9) ^ n) >>> 0;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
    hex += hash.toString(16).padStart(8, "0");
  }
  return hex;
}

/** Cells that a spreadsheet would run become text. @param {string} csv */
export const guard = csv => csv.replace(/(^|[,\n\r])("?)(?=[=+@\t]|-(?!\d+(\.\d+)?"?(,|\r?\n|$)))/g, "$1$2'");

/** The cells of a CSV text by rows, with the line in which each row begins. @param {string} text @param {string} separator @param {number} limit */
export function rowsOf(text, separator, limit) {
  const rows = [];
  let row = /** @type {string[]} */ ([]);
  let cell = "";
  let quotedCell = false;
  let line = 1;
  let from = 1;
  for (let i = 0; i <= text.length; i++) {
    const c = text[i];
    if (quotedCell && c !== undefined) {
      if (c === "\n") line++;
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quotedCell = false;
    } else if (c === '"' && cell === "") quotedCell = true;
    else if (c === separator) (row.push(cell), (cell = ""));
    else if (c === "\n" || c === undefined) {
      row.push(cell.replace(/\r$/, ""));
      if (row.length > 1 || row[0] !== "") rows.push({ cells: row, line: from });
      if (rows.length > limit) break;
      line++;
      [row, cell, from] = [[], "", line];
    } else cell += c;
  }
  return rows;
}

/** @param {string[]} values */
function guess(values) {
  const some = values.filter(value => value !== "");
  if (!some.length) return "text";
  if (some.every(value => /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(value))) return "number";
  if (some.every(value => /^(true|false)$/i.test(value))) return "boolean";
  if (some.every(value => /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(value))) return "date";
  if (some.every(value => /^[0-9a-f]{24}$/.test(value))) return "ObjectId";
  return "text";
}

/** @param {string} value @param {string} type @returns {string} in the shell's spelling */
function typed(value, type) {
  switch (type) {
    case "number":
      if (!/^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(value.trim())) throw new Error(`“${value}” is no number`);
      return value.trim();
    case "boolean":
      if (!/^(true|false)$/i.test(value.trim())) throw new Error(`“${value}” is neither true nor false`);
      return value.trim().toLowerCase();
    case "date":
      if (Number.isNaN(Date.parse(value))) throw new Error(`“${value}” is no date`);
      return `ISODate("${new Date(value).toISOString()}")`;
    case "ObjectId":
      if (!/^[0-9a-fA-F]{24}$/.test(value)) throw new Error(`“${value}” is no ObjectId`);
      return `ObjectId("${value}")`;
    default:
      return quoted(value);
  }
}

const has = (/** @type {any} */ document, /** @type {string} */ name) => document.e.some((/** @type {any} */ [key]) => key === name);

/** @param {string} text @param {{separator: string, types: Record<string, string>, limit: number}} options */
export function documentsOf(text, { separator, types, limit }) {
  const begin = text.replace(/^\ufeff/, "").trimStart();
  const result = { format: "", lines: /** @type {any[]} */ ([]), rows: /** @type {any[]} */ ([]), columns: /** @type {string[]} */ ([]), guessed: /** @type {Record<string, string>} */ ({}), errors: /** @type {any[]} */ ([]), total: /** @type {number|null} */ (null) };
  const add = (/** @type {string} */ source, /** @type {number} */ line) => {
    try {
      const document = parse(source);
      if (document.t !== "object") throw new Error("this is no document");
      const body = has(document, "_id") ? inline(document) : inline(document).replace(/^\{/, `{_id: ObjectId("${idOf(source, line)}")${document.e?.length ? ", " : ""}`);
      result.lines.push({ text: body, line });
      if (result.rows.length < 20) result.rows.push(Object.fromEntries(/** @type {any[]} */ (document.e).map(([key, value]) => [key, value])));
    } catch (failure) {
      result.errors.push({ line, message: /** @type {Error} */ (failure).message });
    }
  };
  if (begin[0] === "[") {
    result.format = "JSON";
    try {
      const all = parse(begin);
      result.total = all.a?.length ?? 0;
      all.a?.slice(0, limit).forEach((one, i) => add(inline(one), i + 1));
    } catch (failure) {
      const at = /** @type {any} */ (failure).at || 0;
      result.errors.push({ line: begin.slice(0, at).split("\n").length, message: /** @type {Error} */ (failure).message });
    }
  } else if (begin[0] === "{") {
    const lines = begin.split("\n");
    let whole = false;
    try {
      whole = lines.length > 1 && parse(begin).t === "object";
    } catch {
      // several documents, one in each line
    }
    result.format = whole ? "JSON" : "NDJSON";
    if (whole) add(begin, 1);
    else {
      result.total = lines.filter(line => line.trim()).length;
      lines.forEach((line, i) => line.trim() && result.lines.length < limit && add(line, i + 1));
    }
  } else if (begin) {
    result.format = "CSV";
    const head = begin.slice(0, begin.indexOf("\n") < 0 ? undefined : begin.indexOf("\n"));
    const by = separator || [",", ";", "\t"].sort((a, b) => head.split(b).length - head.split(a).length)[0];
    const [names, ...rows] = rowsOf(begin, by, limit === Infinity ? Infinity : 200);
    result.columns = names.cells.map(name => name.trim()).filter(Boolean);
    result.columns.forEach((name, i) => (result.guessed[name] = guess(rows.slice(0, 200).map(row => row.cells[i] ?? ""))));
    result.total = begin.trimEnd().split("\n").length - 1;
    for (const { cells, line } of rows.slice(0, limit)) {
      try {
        if (cells.length !== names.cells.length) throw new Error(`${cells.length} cells, but the header has ${names.cells.length}`);
        const parts = result.columns.map((name, i) => (cells[i] === "" ? null : `${quoted(name)}: ${typed(cells[i], types[name] || result.guessed[name])}`)).filter(Boolean);
        add(`{${parts.join(", ")}}`, line);
      } catch (failure) {
        result.errors.push({ line, message: /** @type {Error} */ (failure).message });
      }
    }
  }
  if (!result.columns.length) result.columns = [...new Set(result.rows.flatMap(row => Object.keys(row)))].slice(0, 30);
  return result;
}
