// Documents by their ids, whatever the type.
import { inline } from "./shellprint.js";

/** How a path names an id: {segment, query}, or null where only a filter can. @param {any} id */
export function pathOf(id) {
  const reserved = /^(_size|_meta|_indexes|_aggrs|_streams|_schemas|_null|_true|_false|_minkey|_maxkey|binary|\*|\.{1,2})$/i;
  switch (id.t) {
    case "oid":
      return { segment: id.v, query: {} };
    case "string":
      if (id.v === "" || reserved.test(id.v)) return null;
      return { segment: id.v, query: /^[0-9a-fA-F]{24}$/.test(id.v) ? { id_type: "STRING" } : {} };
    case "int":
    case "long":
    case "double":
      return id.t === "int" || id.t === "long" ? { segment: id.v, query: { id_type: "NUMBER" } } : null;
    case "date":
      return { segment: String(id.v), query: { id_type: "DATE" } };
    case "bool":
      return { segment: id.v ? "_true" : "_false", query: {} };
    case "null":
      return { segment: "_null", query: {} };
    case "minKey":
      return { segment: "_MinKey", query: {} };
    case "maxKey":
      return { segment: "_MaxKey", query: {} };
    default:
      return null;
  }
}

/** A filter for the one document. @param {any} id */
export const filterOf = id => `{_id: {$eq: ${inline(id)}}}`;
