// What can stand at a place of a query: names after "{" and ",", operators and values after ":".
import { mainType } from "./fields.js";
import { quoted } from "./shellprint.js";

const LOGICAL = ["$and", "$or", "$nor", "$expr", "$text"];
const COMPARISONS = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin"];
const ALWAYS = ["$exists", "$type", "$not"];
const BY_TYPE = { string: ["$regex"], array: ["$all", "$elemMatch", "$size"], int: ["$mod"], long: ["$mod"] };
export const STAGES = ["$addFields", "$bucket", "$bucketAuto", "$count", "$facet", "$fill", "$geoNear", "$graphLookup", "$group", "$limit", "$lookup", "$match", "$project", "$redact", "$replaceRoot", "$replaceWith", "$sample", "$set", "$setWindowFields", "$skip", "$sort", "$sortByCount", "$unionWith", "$unset", "$unwind"];
export const EXPRESSIONS = ["$abs", "$add", "$addToSet", "$and", "$arrayElemAt", "$avg", "$concat", "$cond", "$count", "$dateToString", "$dateTrunc", "$divide", "$eq", "$filter", "$first", "$floor", "$gt", "$gte", "$ifNull", "$in", "$last", "$lt", "$lte", "$map", "$max", "$mergeObjects", "$min", "$month", "$multiply", "$ne", "$not", "$or", "$push", "$reduce", "$round", "$size", "$substrCP", "$subtract", "$sum", "$switch", "$toLower", "$toString", "$toUpper", "$year"];
const VALUES = [["ObjectId(\"\")", "id"], ["ISODate(\"\")", "date"], ["NumberLong()", "64 bits"], ["true", "boolean"], ["false", "boolean"], ["null", ""]];

/** Where in the structure the cursor is: the keys of the objects around it, and whether a key or a value is expected.
 * @param {string} text up to the cursor */
export function placeOf(text) {
  /** @type {{open: string, key: string|null}[]} */
  const stack = [];
  let expecting = "value";
  let last = "";
  let i = 0;
  while (i < text.length) {
    const c = text[i];
    if (c === '"' || c === "'") {
      let end = i + 1;
      while (end < text.length && text[end] !== c) end += text[end] === "\\" ? 2 : 1;
      if (end >= text.length) return { stack, expecting, begun: text.slice(i + 1), quote: c, at: i };
      last = text.slice(i + 1, end);
      expecting = "none"; // until a colon or a comma
      i = end + 1;
      continue;
    }
    if (/[\w$.]/.test(c)) {
      let end = i;
      while (end < text.length && /[\w$.]/.test(text[end])) end++;
      if (end >= text.length) return { stack, expecting, begun: text.slice(i), quote: "", at: i };
      last = text.slice(i, end);
      i = end;
      continue;
    }
    if (c === "{" || c === "[") {
      stack.push({ open: c, key: null });
      expecting = c === "{" ? "key" : "value";
    } else if (c === "}" || c === "]") {
      stack.pop();
      expecting = "none";
    } else if (c === ":") {
      if (stack.length) stack[stack.length - 1].key = last;
      expecting = "value";
    } else if (c === ",") expecting = stack.at(-1)?.open === "{" ? "key" : "value";
    i++;
  }
  return { stack, expecting, begun: "", quote: "", at: text.length };
}

const option = (/** @type {string} */ label, /** @type {string} */ detail, /** @type {string} */ apply, boost = 0) => ({ label, detail, apply, boost });
const keyed = (/** @type {string} */ path) => (/^[A-Za-z_$][\w$]*$/.test(path) ? path : quoted(path));

function operatorsFor(/** @type {any} */ field) {
  const type = mainType(field);
  return [...COMPARISONS, ...(BY_TYPE[type || ""] || []), ...ALWAYS].sort((a, b) => rank(type, a) - rank(type, b));
}

const rank = (/** @type {string|undefined} */ type, /** @type {string} */ operator) =>
  (/int|long|double|decimal|date/.test(type || "") && /^\$[gl]te?$/.test(operator)) || (type === "string" && operator === "$regex") || (type === "array" && operator === "$elemMatch") ? 0 : 1;

/** Completion for filters, projections and sorts. @param {() => import("./fields.js").FieldInfo[]} fields @param {"filter"|"keys"|"sort"|"stage"} purpose */
export const completer = (fields, purpose) => (/** @type {any} */ context) => {
  const text = context.state.sliceDoc(0, context.pos);
  const place = placeOf(text);
  const names = fields();
  if (place.expecting === "none") return null;
  if (!text.trim() || (place.stack.length === 0 && place.at === 0)) {
    // a name typed into the empty bar becomes the beginning of an object
    return { from: place.at, to: context.pos, options: names.map((field, i) => option(field.path, mainType(field) || "", `{${keyed(field.path)}: `, 90 - i)) };
  }
  const around = place.stack.map(one => one.key).filter(Boolean);
  const field = names.find(one => one.path === around.filter(key => key && key[0] !== "$").join("."));
  const typed = place.quote ? place.at : place.at;
  if (place.expecting === "key") {
    const inValue = purpose === "filter" && field && place.stack.length > 1 && place.stack.at(-2)?.key && place.stack.at(-2)?.key?.[0] !== "$";
    const options = inValue
      ? operatorsFor(field).map((name, i) => option(name, "", `${name}: `, 90 - i))
      : [
          ...names.map((one, i) => option(one.path, mainType(one) || "", `${keyed(one.path)}: `, 90 - i)),
          ...(purpose === "filter" ? LOGICAL : purpose === "stage" ? EXPRESSIONS : []).map(name => option(name, "", `${name}: `, -10)),
        ];
    return { from: typed, to: context.pos, options };
  }
  if (place.expecting === "value" && !place.quote) {
    if (purpose === "sort" || purpose === "keys") return { from: typed, options: [option("1", purpose === "sort" ? "ascending" : "show", "1"), option(purpose === "sort" ? "-1" : "0", purpose === "sort" ? "descending" : "hide", purpose === "sort" ? "-1" : "0")] };
    const operators = purpose === "filter" ? operatorsFor(field).map((name, i) => option(name, "", `{${name}: `, 80 - i)) : [];
    return { from: typed, options: [...operators, ...VALUES.map(([value, detail]) => option(value, detail, value, -20))] };
  }
  if (place.quote && purpose === "stage" && place.begun[0] === "$") return { from: place.at + 1, options: names.map(one => option("$" + one.path, mainType(one) || "", "$" + one.path)) };
  return null;
};

const RIGHTS = [["readFilter", "which documents are read"], ["writeFilter", "which documents are changed"], ["projectResponse", "which fields are read"], ["mergeRequest", "what every write gets"], ["checkWritten", "holds writes to writeFilter"], ["requireIndex", "refuses queries without an index"], ["serverTiming", "says where the time went"], ["allowManagementRequests", "collections and indexes"], ["allowBulkPatch", "changes of many documents"], ["allowBulkDelete", "deletions of many documents"], ["allowWriteMode", "the parameter wm"], ["allowAdHocAggregations", "pipelines that are not stored"]];
const FLAG = /^(allow|check|requireI)/;

/** Completion for the limits and rights of a permission. @param {() => import("./fields.js").FieldInfo[]} fields of the collection it is about */
export const rightsCompleter = fields => (/** @type {any} */ context) => {
  const text = context.state.sliceDoc(0, context.pos);
  const place = placeOf(text);
  if (place.stack.length < 2) {
    if (place.expecting === "key") return { from: place.at, options: RIGHTS.map(([name, detail], i) => option(name, detail, FLAG.test(name) ? `${name}: true` : `${name}: {`, 90 - i)) };
    return null;
  }
  let [depth, start] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    if (/[{[]/.test(text[i])) depth++ === 1 && (start = i);
    else if (/[}\]]/.test(text[i])) depth--;
  }
  const inner = { explicit: context.explicit, pos: context.pos - start, state: { sliceDoc: (/** @type {number} */ from, /** @type {number} */ to) => text.slice(start + from, start + to) } };
  const found = completer(fields, place.stack[0].key === "projectResponse" ? "keys" : "filter")(inner);
  return found && { ...found, from: found.from + start, to: context.pos };
};
