// Server-sent events read from a plain request, which can carry credentials.
import { pause, request } from "./api.js";

/** Answers that another attempt may not get: too many streams, a stop, a gateway that a proxy does not reach. */
const PASSING = [0, 408, 429, 502, 503, 504];

/** Follows a stream; comes back with the last id when the connection ends. The path has an empty resumeAfter, so that the stream begins
 * with an id: otherwise a connection that ends before the first event would lose those until the next one.
 * @param {string} path @param {{from?: string|null, signal: AbortSignal, onEvent: (event: {id: string, data: string}) => void, onState: (state: any) => void}} options */
export async function follow(path, { from = null, signal, onEvent, onState }) {
  let last = from;
  for (let wait = 1; !signal.aborted; ) {
    onState({ state: "connecting" });
    try {
      const answer = await request("GET", path, { headers: { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) }, signal, stream: true, any: true });
      if (answer.status !== 200) {
        const told = JSON.parse(answer.text || "{}");
        const final = !PASSING.includes(answer.status);
        onState({ state: "refused", status: answer.status, message: told.message || told.msg || "", final });
        if (final) return;
      } else {
        onState({ state: "open" });
        wait = 1;
        last = (await events(answer.response, onEvent)) ?? last;
      }
    } catch (failure) {
      if (signal.aborted) return;
      if (/** @type {any} */ (failure).last) last = /** @type {any} */ (failure).last;
    }
    if (signal.aborted) return;
    onState({ state: "waiting", seconds: wait });
    await pause(wait * 1000, signal).catch(() => {});
    wait = Math.min(30, wait * 2);
  }
}

/** @param {Response} response @param {(event: {id: string, data: string}) => void} onEvent @returns {Promise<string|null>} the last id */
async function events(response, onEvent) {
  const reader = /** @type {any} */ (response.body).pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = /** @type {string|null} */ (null);
  let id = "";
  let data = /** @type {string[]} */ ([]);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return last;
      const lines = (rest + value).split("\n");
      rest = lines.pop() || "";
      for (const raw of lines) {
        const line = raw.replace(/\r$/, "");
        if (line.startsWith("id:")) id = line.slice(3).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
        else if (line === "") {
          last = id || last;
          if (data.length) onEvent({ id, data: data.join("\n") });
          data = [];
        }
      }
    }
  } catch (failure) {
    throw Object.assign(/** @type {any} */ (failure), { last });
  }
}
