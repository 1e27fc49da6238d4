// The properties of a collection, as stored with it.
import { dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";

/** @param {string[]} path @param {AbortSignal|undefined} signal @returns {Promise<{document: any, tag: string|null}>} */
export async function properties(path, signal) {
  const answer = await request("GET", target(dataPath([...path, "_meta"]), { jsonMode: "shell" }), { signal, quiet: true, any: true });
  if (answer.status !== 200) return { document: { t: "object", e: [], from: 0, to: 0 }, tag: null };
  return { document: parse(answer.text), tag: answer.headers.get("ETag") };
}

/** Changes some of them, if nobody else has done so meanwhile. @param {string[]} path @param {string} body @param {string|null} tag */
export const change = (path, body, tag) => request("PATCH", dataPath(path), { headers: { "Content-Type": "application/json", ...(tag ? { "If-Match": tag } : {}) }, body });
