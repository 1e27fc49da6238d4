// Which fields documents have, from those that were read.

/** @typedef {{path: string, count: number, types: Record<string, number>, examples: any[]}} FieldInfo */

/** @param {any[]} documents @returns {FieldInfo[]} by frequency, `_id` first */
export function infer(documents) {
  /** @type {Map<string, FieldInfo>} */
  const found = new Map();
  const visit = (/** @type {any} */ value, /** @type {string} */ path, /** @type {number} */ depth) => {
    for (const [name, inner] of value.e) {
      if (found.size > 2000) return;
      const full = path ? `${path}.${name}` : name;
      const info = found.get(full) || { path: full, count: 0, types: {}, examples: [] };
      info.count++;
      info.types[inner.t] = (info.types[inner.t] || 0) + 1;
      found.set(full, info);
      if (inner.t === "object" && depth < 6) visit(inner, full, depth + 1);
      if (inner.t === "array" && depth < 6) for (const one of inner.a.slice(0, 20)) if (one.t === "object") visit(one, full, depth + 1);
    }
  };
  documents.forEach(document => document.t === "object" && visit(document, "", 0));
  return [...found.values()].sort((a, b) => Number(b.path === "_id") - Number(a.path === "_id") || Number(a.path === "_etag") - Number(b.path === "_etag") || b.count - a.count);
}

/** The fields at the top, as columns. @param {FieldInfo[]} fields */
export const columnsOf = fields => fields.filter(field => !field.path.includes(".") && field.path !== "_etag").map(field => field.path);

/** The type that most values have. @param {FieldInfo|undefined} field */
export const mainType = field => (field ? Object.entries(field.types).sort((a, b) => b[1] - a[1])[0][0] : undefined);
