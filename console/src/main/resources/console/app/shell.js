// Values of BSON as the MongoDB shell spells them, and as Extended JSON: read with their places in the text, written so that
// reading gives the same types. A value is {t: type, …, from, to}; objects keep the order of their keys.

/** @typedef {{t: string, v?: any, e?: [string, any, number, number][], a?: any[], from: number, to: number, o?: string}} Value */

export class ShellError extends Error {
  /** @param {string} message @param {number} at */
  constructor(message, at) {
    super(message);
    this.at = at;
  }
}

const SPACE = /\s/;
const NAME = /[A-Za-z0-9_$]/;
const ESCAPES = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "/": "/", "\\": "\\", '"': '"', "'": "'" };

/** @param {string} text @returns {Value} */
export function parse(text) {
  let i = 0;

  const fail = (/** @type {string} */ message, at = i) => {
    throw new ShellError(message, Math.min(at, text.length));
  };
  const skip = () => {
    while (i < text.length && SPACE.test(text[i])) i++;
  };
  const expect = (/** @type {string} */ char) => {
    skip();
    if (text[i] !== char) fail(i >= text.length ? `“${char}” is missing at the end` : `“${char}” is expected here`);
    i++;
  };

  function string() {
    const quote = text[i++];
    const from = i - 1;
    let out = "";
    for (;;) {
      if (i >= text.length) fail("this text has no end", from);
      const c = text[i++];
      if (c === quote) return out;
      if (c === "\n") fail("a text ends in its line: write \\n", i - 1);
      if (c !== "\\") out += c;
      else if (text[i] === "u") {
        const hex = text.slice(i + 1, i + 5);
        if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail("\\u wants four hexadecimal digits", i - 1);
        out += String.fromCharCode(parseInt(hex, 16));
        i += 5;
      } else {
        const plain = ESCAPES[text[i++]];
        if (plain === undefined) fail("this escape is not known", i - 2);
        out += plain;
      }
    }
  }

  function key() {
    skip();
    if (text[i] === '"' || text[i] === "'") return string();
    const from = i;
    while (i < text.length && NAME.test(text[i])) i++;
    if (i === from) fail(i >= text.length ? "“}” is missing at the end" : "a name is expected here");
    return text.slice(from, i);
  }

  /** @returns {Value} */
  function object() {
    const from = i++;
    /** @type {[string, any, number, number][]} */
    const e = [];
    skip();
    while (text[i] !== "}") {
      skip();
      const at = i;
      const name = key();
      const end = i;
      expect(":");
      e.push([name, value(), at, end]);
      skip();
      if (text[i] === ",") {
        i++;
        skip();
        if (text[i] === "}") fail("a name is expected after the comma");
      } else if (text[i] !== "}") fail(i >= text.length ? "“}” is missing at the end" : "“,” or “}” is expected here");
    }
    i++;
    return extended({ t: "object", e, from, to: i });
  }

  /** @returns {Value} */
  function array() {
    const from = i++;
    /** @type {any[]} */
    const a = [];
    skip();
    while (text[i] !== "]") {
      a.push(value());
      skip();
      if (text[i] === ",") i++;
      else if (text[i] !== "]") fail(i >= text.length ? "“]” is missing at the end" : "“,” or “]” is expected here");
      skip();
    }
    i++;
    return { t: "array", a, from, to: i };
  }

  /** What stands between the parentheses of a constructor. */
  function args() {
    /** @type {any[]} */
    const found = [];
    skip();
    if (text[i] !== "(") return null;
    i++;
    skip();
    while (text[i] !== ")") {
      const one = value();
      found.push(one.t === "string" || "v" in one ? one.v : one);
      skip();
      if (text[i] === ",") i++;
      else if (text[i] !== ")") fail("“)” is expected here");
      skip();
    }
    i++;
    return found;
  }

  /** @returns {Value} */
  function word() {
    const from = i;
    while (i < text.length && NAME.test(text[i])) i++;
    let name = text.slice(from, i);
    if (name === "new") {
      skip();
      const next = i;
      while (i < text.length && NAME.test(text[i])) i++;
      name = text.slice(next, i);
    }
    const constant = { true: ["bool", true], false: ["bool", false], null: ["null", null], undefined: ["undefined", undefined], NaN: ["double", "NaN"], Infinity: ["double", "Infinity"] }[name];
    if (constant) return { t: String(constant[0]), v: constant[1], from, to: i };
    const given = args();
    const one = made(name, given, from);
    return { ...one, from, to: i };
  }

  function made(/** @type {string} */ name, /** @type {any[]|null} */ given, /** @type {number} */ from) {
    const [a, b] = given || [];
    switch (name) {
      case "MinKey":
      case "MaxKey":
        return { t: name === "MinKey" ? "minKey" : "maxKey" };
      case "ObjectId":
        if (!/^[0-9a-fA-F]{24}$/.test(a)) fail("an ObjectId has 24 hexadecimal digits", from);
        return { t: "oid", v: a.toLowerCase() };
      case "NumberLong":
      case "Long":
        if (!/^-?\d+$/.test(String(a))) fail("a whole number is expected", from);
        return { t: "long", v: String(a) };
      case "NumberInt":
      case "Int32":
        if (!/^-?\d+$/.test(String(a))) fail("a whole number is expected", from);
        return { t: "int", v: String(a) };
      case "NumberDecimal":
      case "Decimal128":
        return { t: "decimal", v: String(a) };
      case "ISODate":
      case "Date": {
        const ms = /^-?\d+$/.test(String(a)) ? Number(a) : a === undefined ? NaN : Date.parse(a);
        if (Number.isNaN(ms)) fail("this is no date: write ISODate(\"2026-01-31T12:00:00Z\")", from);
        return { t: "date", v: ms };
      }
      case "BinData":
        return { t: "binary", v: String(b), o: Number(a).toString(16).padStart(2, "0") };
      case "UUID":
        return { t: "binary", v: hexToBase64(String(a).replaceAll("-", ""), () => fail("a UUID has 32 hexadecimal digits", from)), o: "04" };
      case "Timestamp":
        return { t: "timestamp", v: [Number(a), Number(b)] };
      default:
        if (given === null) return fail(name ? `“${name}” is not known: texts stand in quotes` : "a value is expected here", from);
        return fail(`${name}(…) is not known`, from);
    }
  }

  /** @returns {Value} */
  function number() {
    const from = i;
    if (text[i] === "-" && text.startsWith("Infinity", i + 1)) {
      i += 9;
      return { t: "double", v: "-Infinity", from, to: i };
    }
    const found = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?/.exec(text.slice(i, i + 60));
    if (!found) return fail("a number is expected here");
    i += found[0].length;
    const whole = /^[-+]?\d+$/.test(found[0]);
    const big = whole && (BigInt(found[0]) > 2147483647n || BigInt(found[0]) < -2147483648n);
    return { t: whole ? (big ? "long" : "int") : "double", v: found[0], from, to: i };
  }

  /** @returns {Value} */
  function regex() {
    const from = i++;
    let pattern = "";
    let inClass = false;
    while (text[i] !== "/" || inClass) {
      if (i >= text.length || text[i] === "\n") fail("this regular expression has no end", from);
      if (text[i] === "\\" && text[i + 1] === "/") i++;
      else if (text[i] === "\\") pattern += text[i++];
      else if (text[i] === "[") inClass = true;
      else if (text[i] === "]") inClass = false;
      pattern += text[i++];
    }
    i++;
    const flags = /^[a-z]*/.exec(text.slice(i, i + 20))?.[0] ?? "";
    i += flags.length;
    return { t: "regex", v: pattern, o: flags, from, to: i };
  }

  /** @returns {Value} */
  function value() {
    skip();
    const c = text[i];
    const from = i;
    if (c === undefined) fail("a value is expected here");
    if (c === "{") return object();
    if (c === "[") return array();
    if (c === '"' || c === "'") return { t: "string", v: string(), from, to: i };
    if (c === "/") return regex();
    if (/[-+.\d]/.test(c)) return number();
    if (/[A-Za-z]/.test(c)) return word();
    return fail("a value is expected here");
  }

  const whole = value();
  skip();
  if (i < text.length) fail("nothing is expected after the end");
  return whole;
}

function hexToBase64(/** @type {string} */ hex, /** @type {() => never} */ fail) {
  if (!/^[0-9a-fA-F]{32}$/.test(hex)) fail();
  return btoa(String.fromCharCode(.../** @type {string[]} */ (hex.match(/../g)).map(pair => parseInt(pair, 16))));
}

/** An object that spells a value in Extended JSON becomes that value. @param {Value} object @returns {Value} */
function extended(object) {
  const e = /** @type {[string, any][]} */ (/** @type {any} */ (object.e));
  if (e.length === 0 || e.length > 2 || e[0][0][0] !== "$") return object;
  const [name, inner] = e[0];
  const place = { from: object.from, to: object.to };
  const text = inner.t === "string" ? inner.v : undefined;
  if (e.length === 2) {
    return name === "$code" && e[1][0] === "$scope" ? { t: "code", v: text, a: [e[1][1]], ...place } : object;
  }
  switch (name) {
    case "$oid":
      return text === undefined ? object : { t: "oid", v: text, ...place };
    case "$numberInt":
      return { t: "int", v: text, ...place };
    case "$numberLong":
      return { t: "long", v: text, ...place };
    case "$numberDouble":
      return { t: "double", v: text, ...place };
    case "$numberDecimal":
      return { t: "decimal", v: text, ...place };
    case "$date":
      return { t: "date", v: text !== undefined ? Date.parse(text) : Number(inner.v), ...place };
    case "$binary": {
      const part = (/** @type {string} */ key) => inner.e?.find((/** @type {any} */ one) => one[0] === key)?.[1].v;
      return { t: "binary", v: part("base64"), o: part("subType"), ...place };
    }
    case "$timestamp": {
      const part = (/** @type {string} */ key) => Number(inner.e?.find((/** @type {any} */ one) => one[0] === key)?.[1].v);
      return { t: "timestamp", v: [part("t"), part("i")], ...place };
    }
    case "$regularExpression": {
      const part = (/** @type {string} */ key) => inner.e?.find((/** @type {any} */ one) => one[0] === key)?.[1].v;
      return { t: "regex", v: part("pattern"), o: part("options"), ...place };
    }
    case "$minKey":
      return { t: "minKey", ...place };
    case "$maxKey":
      return { t: "maxKey", ...place };
    case "$undefined":
      return { t: "undefined", ...place };
    case "$code":
      return { t: "code", v: text, ...place };
    case "$symbol":
      return { t: "symbol", v: text, ...place };
    case "$dbPointer":
      return { t: "dbPointer", a: [inner], ...place };
    default:
      return object;
  }
}
