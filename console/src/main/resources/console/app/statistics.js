// How much collections hold. Estimates from metadata: nothing is counted.
import { useEffect, useState } from "./dom.js";
import { account } from "./state.js";
import { dataPath, request, target } from "./api.js";

/** @typedef {{documents?: number, size?: number, indexes?: number, indexSize?: number}} Statistics sizes in bytes, for the root role only */

const LARGEST = 500;
const AT_A_TIME = 4;
const STAGES = JSON.stringify({ stages: [{ $collStats: { storageStats: {} } }, { $project: { documents: "$storageStats.count", size: "$storageStats.size", indexes: "$storageStats.nindexes", indexSize: "$storageStats.totalIndexSize" } }] });

/** The account that may not ask for sizes: it is not the root role. */
let refused = "";

/** @param {any} node @param {AbortSignal} signal @returns {Promise<Statistics>} */
async function statistics(node, signal) {
  const { operations: rights, path, kind } = node;
  if (kind === "coll" && refused !== account.value.name && rights?.aggregate !== "no") {
    const answer = await request("POST", dataPath([...path, "_aggrs"]), { headers: { "Content-Type": "application/json" }, body: STAGES, quiet: true, any: true, signal });
    if (answer.status === 403) refused = account.value.name;
    // one document for each shard
    if (answer.status === 200) return JSON.parse(answer.text).reduce((/** @type {any} */ all, /** @type {any} */ one) => ({ documents: all.documents + one.documents, size: all.size + one.size, indexes: Math.max(all.indexes, one.indexes), indexSize: all.indexSize + one.indexSize }), { documents: 0, size: 0, indexes: 0, indexSize: 0 });
  }
  if (rights?.read === "no") return {};
  const answer = await request("GET", target(dataPath(path), { rep: "HAL", np: true, count: "estimated", pagesize: 1, keys: '{"_id":1}' }), { quiet: true, any: true, signal });
  return answer.status === 200 ? { documents: JSON.parse(answer.text)._size } : {};
}

/** Asks for a few at a time. @param {any[]} nodes @returns {Record<string, Statistics>} by path */
export function useStatistics(nodes) {
  const [known, setKnown] = useState(/** @type {Record<string, Statistics>} */ ({}));
  useEffect(() => {
    const abort = new AbortController();
    const waiting = nodes.slice(0, LARGEST);
    const work = async () => {
      for (let node = waiting.shift(); node && !abort.signal.aborted; node = waiting.shift()) {
        const found = await statistics(node, abort.signal).catch(() => ({})); // without figures the list is as good
        const place = node.path.join("/");
        if (!abort.signal.aborted) setKnown(old => ({ ...old, [place]: found }));
      }
    };
    for (let i = 0; i < AT_A_TIME; i++) work();
    return () => abort.abort();
  }, [nodes.map(node => node.path.join("/")).join("\n")]);
  return known;
}
