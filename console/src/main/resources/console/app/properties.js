// The properties of a collection, as stored with it.
import { dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";

/** Fails when they cannot be read: whoever writes them back must not take that for "none".
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
