// Whether a value conforms to a JSON Schema: the keywords of drafts 4 to 2020-12 that say something about single values. What
// cannot be decided here, such as references to other documents, counts as fulfilled: the gateway has the last word.

const typeOf = (/** @type {any} */ value) => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" && "$numberLong" in value ? "integer" : Number.isInteger(value) ? "integer" : typeof value);
const equal = (/** @type {any} */ a, /** @type {any} */ b) => JSON.stringify(a) === JSON.stringify(b);
const fits = (/** @type {string} */ wanted, /** @type {string} */ type) => wanted === type || (wanted === "number" && type === "integer") || wanted === "any";

/** @param {any} root @param {string} ref */
const local = (root, ref) => (ref.startsWith("#") ? ref.slice(1).split("/").filter(Boolean).reduce((/** @type {any} */ at, part) => at?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], root) : undefined);

/** @param {any} schema @param {any} value @param {any} root the schema that local references are about @param {string} path
 * @returns {{path: string, message: string}|null} the first thing that does not fit */
export function violation(schema, value, root = schema, path = "") {
  if (schema === false) return { path, message: "nothing is allowed here" };
  if (!schema || typeof schema !== "object") return null;
  const fail = (/** @type {string} */ message) => ({ path, message });
  const ref = schema.$ref ?? schema._$ref;
  if (typeof ref === "string") {
    const found = local(root, ref);
    return found && path.length < 500 ? violation(found, value, root, path) : null;
  }
  const type = typeOf(value);
  const types = [schema.type ?? []].flat();
  if (types.length && !types.some((/** @type {string} */ one) => fits(one, type))) return fail(`is ${type}, not ${types.join(" or ")}`);
  if (schema.enum && !schema.enum.some((/** @type {any} */ one) => equal(one, value))) return fail("is none of the values that are allowed");
  if ("const" in schema && !equal(schema.const, value)) return fail("is not the value that is expected");
  const own = type === "string" ? ofText(schema, value) : type === "integer" || type === "number" ? ofNumber(schema, Number(value?.$numberLong ?? value)) : null;
  if (own) return fail(own);
  const inner = type === "array" ? ofItems(schema, value, root, path) : type === "object" ? ofMembers(schema, value, root, path) : null;
  if (inner) return inner;
  for (const one of schema.allOf || []) {
    const found = violation(one, value, root, path);
    if (found) return found;
  }
  const fitting = (/** @type {any[]} */ all) => all.filter(one => !violation(one, value, root, path)).length;
  if (schema.anyOf && !fitting(schema.anyOf)) return fail("fits none of the alternatives");
  if (schema.oneOf && fitting(schema.oneOf) !== 1) return fail("does not fit exactly one of the alternatives");
  return schema.not && !violation(schema.not, value, root, path) ? fail("is what must not be") : null;
}

/** @param {any} schema @param {string} text */
function ofText({ minLength, maxLength, pattern }, text) {
  const length = [...text].length;
  if (minLength !== undefined && length < minLength) return `is shorter than ${minLength}`;
  if (maxLength !== undefined && length > maxLength) return `is longer than ${maxLength}`;
  try {
    return pattern === undefined || new RegExp(pattern, "u").test(text) ? null : `does not match ${pattern}`;
  } catch {
    return null; // an expression that only the gateway understands
  }
}

/** @param {any} schema @param {number} n */
function ofNumber({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }, n) {
  if (minimum !== undefined && (n < minimum || (exclusiveMinimum === true && n === minimum))) return `is less than ${minimum}`;
  if (maximum !== undefined && (n > maximum || (exclusiveMaximum === true && n === maximum))) return `is greater than ${maximum}`;
  if (typeof exclusiveMinimum === "number" && n <= exclusiveMinimum) return `is not greater than ${exclusiveMinimum}`;
  if (typeof exclusiveMaximum === "number" && n >= exclusiveMaximum) return `is not less than ${exclusiveMaximum}`;
  return multipleOf && Math.abs(n / multipleOf - Math.round(n / multipleOf)) > 1e-9 ? `is no multiple of ${multipleOf}` : null;
}

function ofItems(/** @type {any} */ schema, /** @type {any[]} */ list, /** @type {any} */ root, /** @type {string} */ path) {
  const fail = (/** @type {string} */ message) => ({ path, message });
  if (schema.minItems !== undefined && list.length < schema.minItems) return fail(`has fewer than ${schema.minItems} elements`);
  if (schema.maxItems !== undefined && list.length > schema.maxItems) return fail(`has more than ${schema.maxItems} elements`);
  if (schema.uniqueItems && new Set(list.map(one => JSON.stringify(one))).size < list.length) return fail("has equal elements");
  const first = schema.prefixItems || (Array.isArray(schema.items) ? schema.items : []);
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  for (let i = 0; i < list.length; i++) {
    const found = violation(first[i] ?? rest, list[i], root, `${path}[${i}]`);
    if (found) return found;
  }
  return null;
}

function ofMembers(/** @type {any} */ schema, /** @type {any} */ value, /** @type {any} */ root, /** @type {string} */ path) {
  const join = (/** @type {string} */ name) => (path ? `${path}.${name}` : name);
  const names = Object.keys(value);
  for (const name of Array.isArray(schema.required) ? schema.required : []) if (!(name in value)) return { path: join(name), message: "is missing" };
  if (schema.minProperties !== undefined && names.length < schema.minProperties) return { path, message: `has fewer than ${schema.minProperties} fields` };
  if (schema.maxProperties !== undefined && names.length > schema.maxProperties) return { path, message: `has more than ${schema.maxProperties} fields` };
  for (const name of names) {
    const patterns = Object.entries(schema.patternProperties || {}).filter(([pattern]) => ofText({ pattern }, name) === null).map(([, one]) => one);
    const known = schema.properties && Object.hasOwn(schema.properties, name);
    const parts = [...(known ? [schema.properties[name]] : []), ...patterns];
    if (!parts.length && schema.additionalProperties === false) return { path: join(name), message: "is not foreseen" };
    for (const one of parts.length ? parts : [schema.additionalProperties]) {
      const found = violation(one, value[name], root, join(name));
      if (found) return found;
    }
  }
  return null;
}
