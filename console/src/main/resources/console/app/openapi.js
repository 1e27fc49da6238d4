// Reading an OpenAPI document: operations, parameters, schemas. Knows nothing of the page.

/** What a reference points to. @param {any} document @param {any} node @returns {any} */
export function resolve(document, node) {
  for (let i = 0; node?.$ref && i < 8; i++) node = node.$ref.slice(2).split("/").reduce((/** @type {any} */ at, /** @type {string} */ name) => at?.[name], document);
  return node || {};
}

const METHODS = ["get", "post", "put", "patch", "delete"];

/** @param {any} document @returns {{id: string, method: string, path: string, tag: string, summary: string, description: string, parameters: any[], body: any, responses: [string, any][]}[]} */
export const operations = document =>
  Object.entries(document.paths || {}).flatMap(([path, item]) =>
    METHODS.filter(method => item[method]).map(method => {
      const one = item[method];
      return {
        id: one.operationId || `${method} ${path}`, method: method.toUpperCase(), path, tag: one.tags?.[0] || "other", summary: one.summary || "", description: one.description || "",
        parameters: [...(item.parameters || []), ...(one.parameters || [])].map(node => resolve(document, node)), body: one.requestBody && resolve(document, one.requestBody),
        responses: Object.entries(one.responses || {}).map(([status, node]) => /** @type {[string, any]} */ ([status, resolve(document, node)])),
      };
    }),
  );

/** The name of what a schema refers to. @param {any} schema */
export const nameOf = schema => (schema?.$ref ? decodeURIComponent(schema.$ref.split("/").at(-1)) : null);

const SHORT = { ObjectId: "objectId", Date: "date", Decimal: "decimal", Binary: "binary", Timestamp: "timestamp", Regex: "regex" };

/** Names of the types that a schema allows. @param {any} document @param {any} schema @returns {string[]} */
export function typesOf(document, schema) {
  if (schema === true || !schema) return ["any"];
  if (schema.$ref) return [SHORT[nameOf(schema) || ""] || (resolve(document, schema).type === "object" ? "object" : nameOf(schema) || "any")];
  if (schema.anyOf) return [...new Set(schema.anyOf.flatMap((/** @type {any} */ one) => typesOf(document, one)))];
  const types = (Array.isArray(schema.type) ? schema.type : [schema.type]).filter(Boolean);
  if (!types.length && schema.enum) return ["enum"];
  return types.length ? types.map((/** @type {string} */ type) => (type === "array" && schema.items ? `array of ${typesOf(document, schema.items).join(", ")}` : schema.format && type !== "null" ? `${type} (${schema.format})` : type)) : ["any"];
}

/** The properties of a schema, with those below them. @param {any} document @param {any} schema
 * @returns {{path: string, name: string, depth: number, types: string[], share: number|null, required: boolean, description: string}[]} */
export function fieldsOf(document, schema, prefix = "", depth = 0) {
  const whole = resolve(document, schema);
  return Object.entries(whole.properties || {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const inner = [property, ...(property.anyOf || []), property.items].filter(Boolean).find(one => resolve(document, one).properties && !SHORT[nameOf(one) || ""]);
    const share = property["x-share"] ?? null;
    return [{ path, name, depth, types: typesOf(document, property), share, required: Boolean(whole.required?.includes(name)), description: property.description || "" }, ...(inner && depth < 4 ? fieldsOf(document, inner, path + ".", depth + 1) : [])];
  });
}

/** The schema of the documents that a collection's path answers. @param {any} document @param {string} path */
export function responseSchema(document, path) {
  const get = document.paths?.[path]?.get || document.paths?.[path + "/{id}"]?.get;
  const content = resolve(document, get?.responses?.["200"]).content?.["application/json"]?.schema;
  const whole = resolve(document, content);
  return whole.items || content || null;
}

/** An example of a schema's values: enough to begin with. @param {any} document @param {any} schema @returns {any} */
export function example(document, schema, depth = 0) {
  const whole = resolve(document, schema);
  if (whole.example !== undefined) return whole.example;
  if (whole.properties && depth < 3) return Object.fromEntries(Object.entries(whole.properties).filter(([name, one]) => name !== "_id" && name !== "_etag" && !one.readOnly && !name.startsWith("$")).slice(0, 12).map(([name, one]) => [name, example(document, one, depth + 1)]));
  const type = (Array.isArray(whole.type) ? whole.type : [whole.type]).find(one => one !== "null");
  if (whole.anyOf) return example(document, whole.anyOf[0], depth + 1);
  return { string: "…", integer: 1, number: 1, boolean: true, array: [], object: {} }[type] ?? null;
}
