// Asking for something that a page shows: the last answer wins, and who leaves cancels.
import { useCallback, useEffect, useRef, useState } from "./dom.js";

/** @template T @param {(signal: AbortSignal) => Promise<T>} fetcher @param {any[]} inputs asks anew when one of them changes
 * @returns {{data: T|undefined, error: any, busy: boolean, again: () => void, cancel: () => void}} */
export function useLoad(fetcher, inputs) {
  const [state, setState] = useState(/** @type {any} */ ({ data: undefined, error: null, busy: true }));
  const [round, setRound] = useState(0);
  const control = useRef(/** @type {AbortController|null} */ (null));
  useEffect(() => {
    const abort = new AbortController();
    control.current = abort;
    setState((/** @type {any} */ old) => ({ ...old, busy: true }));
    fetcher(abort.signal).then(
      data => abort.signal.aborted || setState({ data, error: null, busy: false }),
      error => abort.signal.aborted || setState((/** @type {any} */ old) => ({ ...old, error, busy: false })),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  const again = useCallback(() => setRound(n => n + 1), []);
  const cancel = useCallback(() => {
    control.current?.abort();
    setState((/** @type {any} */ old) => ({ ...old, busy: false }));
  }, []);
  return { ...state, again, cancel };
}
