// What there is: read once, and after every change that the console makes.
import { config, readOnly, resources } from "./state.js";
import { dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";

const KINDS = { "rh:db": "db", "rh:coll": "coll", "rh:bucket": "bucket", "rh:schema-store": "schemas" };

/** What stands below a path. @param {string[]} path */
async function children(path) {
  const found = [];
  let type = "";
  for (let page = 1; page <= 20; page++) {
    const answer = await request("GET", target(dataPath(path), { rep: "HAL", hal: "f", np: true, pagesize: 1000, page }), { quiet: true });
    const list = JSON.parse(answer.text);
    type = list._type;
    for (const [rel, items] of Object.entries(list._embedded || {})) {
      for (const item of KINDS[rel] ? /** @type {any[]} */ (items) : []) {
        const name = String(item._id);
        if (rel !== "rh:schema-store") found.push({ name, path: [...path, name], kind: KINDS[rel] });
        else found.push({ name: "_schemas", path: [...path, "_schemas"], kind: "schemas" });
      }
    }
    if (page >= (list._total_pages || 1)) break;
  }
  return { type, found };
}

const TREE = { database: "db", collection: "coll", bucket: "bucket", schemas: "schemas" };

/** What the caller may do anything with, as the gateway tells it. */
async function permitted() {
  const { resources: all } = JSON.parse((await request("GET", config.value.access, { quiet: true })).text);
  const nodes = all.map((/** @type {any} */ one) => ({ name: one.segments.at(-1) ?? "/", path: one.segments, kind: TREE[one.kind], holds: one.holds, operations: one.operations }));
  let here = nodes.find((/** @type {any} */ node) => node.path.length === 0)?.operations;
  if (!nodes.length) {
    const answer = await request("POST", config.value.access + "/check", { headers: { "Content-Type": "application/json" }, body: JSON.stringify({ method: "PUT", path: dataPath(["new"]) }), quiet: true, any: true });
    here = { manage: answer.status === 200 && JSON.parse(answer.text).decision === "allowed" ? "yes" : "no" };
  }
  const single = nodes.some((/** @type {any} */ node) => node.kind === "db" && node.path.length === 0);
  if (single || !nodes.some((/** @type {any} */ node) => node.path.length > 1)) {
    const inside = nodes.filter((/** @type {any} */ node) => node.kind !== "db");
    if (single || inside.length) return { root: "db", roots: inside, here: here || { manage: "no" } };
  }
  const open = new Set((resources.value.roots || []).filter((/** @type {any} */ node) => node.open).map((/** @type {any} */ node) => node.name));
  const databases = new Map(nodes.filter((/** @type {any} */ node) => node.kind === "db").map((/** @type {any} */ node) => [node.name, { ...node, children: [], open: open.has(node.name) }]));
  for (const node of nodes.filter((/** @type {any} */ one) => one.kind !== "db")) {
    const name = node.path[0];
    if (node.path.length < 2) databases.set(name, node);
    else {
      if (!databases.has(name)) databases.set(name, { name, path: [name], kind: "db", children: [], open: open.has(name) });
      databases.get(name).children.push(node);
    }
  }
  return { root: "root", roots: [...databases.values()], here };
}

/** Reads everything anew; open databases stay open. */
export async function reload() {
  resources.value = { ...resources.value, state: "loading" };
  try {
    if (config.value.access) {
      resources.value = { state: "ready", ...(await permitted()) };
      return;
    }
    const { type, found } = await children([]);
    const before = new Map((resources.value.roots || []).map((/** @type {any} */ node) => [node.name, node]));
    if (type === "COLLECTION") {
      resources.value = { state: "ready", root: "coll", roots: [{ name: "/", path: [], kind: "coll" }] };
      return;
    }
    for (const node of found) {
      const old = before.get(node.name);
      if (node.kind === "db" && old?.open) Object.assign(node, { open: true, children: (await children(node.path)).found });
    }
    resources.value = { state: "ready", root: type === "DB" ? "db" : "root", roots: found };
  } catch (error) {
    resources.value = { state: "error", error, roots: null };
  }
}

/** Shows or hides the collections of a database. @param {any} node */
export async function expand(node) {
  node.open = !node.open;
  if (node.open && !node.children) {
    try {
      node.children = (await children(node.path)).found;
    } catch {
      node.children = [];
    }
  }
  resources.value = { ...resources.value, roots: [...resources.value.roots] };
}

/** Whether the gateway keeps its own things there. @param {any} node */
export const isSystem = node => node.kind !== "db" && Boolean(node.holds || node.kind === "schemas" || /^(_|system\.|gql-apps$)/.test(node.name));

/** Everything that is known, for the palette and for completion. @returns {any[]} */
export const known = () => (resources.value.roots || []).flatMap((/** @type {any} */ node) => [node, ...(node.children || [])]);

/** Whether an action is worth showing: what the gateway answers with "no" for this account is left out. What depends on the
 * request is shown, and its refusal explained; the gateway decides either way.
 * @param {string[]} path @param {string} operation of the answer of `/_access`, such as "create" or "manage" */
export function may(path, operation) {
  const place = path.join("/");
  const operations = place ? known().find(node => node.path.join("/") === place)?.operations : resources.value.here;
  return operations?.[operation] !== "no";
}

/** The same for an action that writes. @param {string[]} path @param {string} operation */
export const mayWrite = (path, operation) => !readOnly.value && may(path, operation);

/** The properties of a collection, as stored with it. Fails when they cannot be read: whoever writes them back must not take that for "none".
 * @param {string[]} path @param {AbortSignal|undefined} signal @returns {Promise<{document: any, tag: string|null, hidden: boolean}>} hidden: this account may not read them */
export async function properties(path, signal) {
  const answer = await request("GET", target(dataPath([...path, "_meta"]), { jsonMode: "shell" }), { signal, quiet: true }).catch(failure => {
    if (failure.status !== 403 && failure.status !== 404) throw failure;
    return failure.answer;
  });
  if (answer.status !== 200) return { document: { t: "object", e: [], from: 0, to: 0 }, tag: null, hidden: answer.status === 403 };
  return { document: parse(answer.text), tag: answer.headers.get("ETag"), hidden: false };
}

/** Changes some of them, if nobody else has done so meanwhile. @param {string[]} path @param {string} body @param {string|null} tag */
export const change = (path, body, tag) => request("PATCH", dataPath(path), { headers: { "Content-Type": "application/json", ...(tag ? { "If-Match": tag } : {}) }, body });
