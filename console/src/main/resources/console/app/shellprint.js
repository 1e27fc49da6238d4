// Writes values as shell.js reads them.
import { visible } from "./format.js";

const PLAIN = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** @param {string} text */
export const quoted = text =>
  JSON.stringify(text).replace(/[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/** @param {string} name */
export const keyText = name => (PLAIN.test(name) ? name : quoted(name));

/** A value without members. @param {any} value */
export function scalar(value) {
  switch (value.t) {
    case "string":
      return quoted(value.v);
    case "int":
    case "double":
      return double(value);
    case "long":
      return /^-?\d{1,15}$/.test(value.v) ? `NumberLong(${value.v})` : `NumberLong("${value.v}")`;
    case "decimal":
      return `NumberDecimal("${value.v}")`;
    case "bool":
      return String(value.v);
    case "null":
      return "null";
    case "undefined":
      return "undefined";
    case "oid":
      return `ObjectId("${value.v}")`;
    case "date":
      return dateText(value.v) ?? `new Date(${value.v})`;
    case "binary":
      return `BinData(${parseInt(value.o, 16)}, "${value.v}")`;
    case "regex":
      return value.v === "" || /[\u0000-\u001f/]/.test(value.v) ? `{$regularExpression: {pattern: ${quoted(value.v)}, options: ${quoted(value.o)}}}` : `/${value.v}/${value.o}`;
    case "timestamp":
      return `Timestamp(${value.v[0]}, ${value.v[1]})`;
    case "minKey":
      return "MinKey";
    case "maxKey":
      return "MaxKey";
    case "symbol":
      return `{$symbol: ${quoted(value.v)}}`;
    default:
      return "";
  }
}

function double(/** @type {any} */ value) {
  if (value.t === "int" || /[.eEN]/.test(value.v) || /Infinity/.test(value.v)) return value.v;
  return value.v + ".0";
}

/** ISO 8601, or null outside the years it has. @param {number} ms */
export const dateText = ms => (ms >= -62135596800000 && ms <= 253402300799999 ? `ISODate("${new Date(ms).toISOString()}")` : null);

/** @param {any} value @param {number} indent of its own lines @param {number} width beyond which members stand in lines of their own */
export function print(value, indent = 0, width = 76) {
  if (value.t === "code") {
    return value.a ? `{$code: ${quoted(value.v)}, $scope: ${print(value.a[0], indent, width)}}` : `{$code: ${quoted(value.v)}}`;
  }
  if (value.t === "dbPointer") return `{$dbPointer: ${print(value.a[0], indent, width)}}`;
  if (value.t !== "object" && value.t !== "array") return scalar(value);
  const pad = "  ".repeat(indent + 1);
  /** @type {string[]} */
  const parts =
    value.t === "object" ? value.e.map((/** @type {any} */ [k, v]) => `${keyText(k)}: ${print(v, indent + 1, width)}`) : value.a.map((/** @type {any} */ v) => print(v, indent + 1, width));
  const [open, close] = value.t === "object" ? "{}" : "[]";
  if (!parts.length) return open + close;
  const line = `${open}${parts.join(", ")}${close}`;
  const flat = indent > 0 && line.length + indent * 2 <= width && !line.includes("\n");
  return flat ? line : `${open}\n${parts.map(part => pad + part).join(",\n")}\n${"  ".repeat(indent)}${close}`;
}

/** In one line. @param {any} value */
export const inline = value => (value.t === "object" || value.t === "array" || value.t === "code" ? oneLine(value) : scalar(value));

const oneLine = (/** @type {any} */ value) => {
  if (value.t === "object") return `{${value.e.map((/** @type {any} */ [k, v]) => `${keyText(k)}: ${inline(v)}`).join(", ")}}`;
  if (value.t === "array") return `[${value.a.map(inline).join(", ")}]`;
  return print(value, 1, 1e9);
};

/** As a cell of a table shows it. @param {any} value @param {boolean} utc */
export function cell(value, utc = true) {
  switch (value.t) {
    case "string":
      return visible(value.v);
    case "oid":
      return value.v;
    case "int":
    case "long":
    case "decimal":
    case "double":
      return double({ ...value, t: value.t === "double" ? "double" : "int" });
    case "date": {
      const date = new Date(value.v);
      if (Number.isNaN(date.getTime())) return String(value.v);
      return utc ? date.toISOString().replace("T", " ").replace(/\.000Z$/, "Z") : date.toLocaleString();
    }
    default:
      return visible(inline(value));
  }
}

/** MongoDB's names of the types, where they differ from those used here. @type {Record<string, string>} */
const NAMES = { oid: "objectId", binary: "binData" };

/** The name of a type, as MongoDB has it. @param {string} type */
export const typeName = type => NAMES[type] || type;

/** A member, or undefined. @param {any} value @param {string} path with dots */
export function at(value, path) {
  let found = value;
  for (const name of path.split(".")) {
    found = found?.t === "object" ? found.e.find((/** @type {any} */ [k]) => k === name)?.[1] : undefined;
    if (!found) return undefined;
  }
  return found;
}
