// Asking for something that a page shows. What is handed out always belongs to what the page asks for now: data of another
// subject are gone at once, whoever leaves cancels, and a failure leaves nothing that could be taken for an answer.
import { useCallback, useEffect, useRef, useState } from "./dom.js";

const same = (/** @type {any[]} */ a, /** @type {any[]} */ b) => a.length === b.length && a.every((one, i) => Object.is(one, b[i]));

/** @template T @param {(signal: AbortSignal) => Promise<T>} fetcher @param {any[]} inputs asks anew when one of them changes
 * @param {any[]} subject what the data are of: while it stays, the old data stay until the new ones come
 * @returns {{data: T|undefined, error: any, busy: boolean, again: () => void, cancel: () => void}} */
export function useLoad(fetcher, inputs, subject = inputs) {
  const [state, setState] = useState(/** @type {any} */ ({ of: subject, data: undefined, error: null, busy: true }));
  const [round, setRound] = useState(0);
  const control = useRef(/** @type {AbortController|null} */ (null));
  useEffect(() => {
    const abort = new AbortController();
    control.current = abort;
    setState((/** @type {any} */ old) => (same(old.of, subject) ? { ...old, busy: true } : { of: subject, data: undefined, error: null, busy: true }));
    fetcher(abort.signal).then(
      data => abort.signal.aborted || setState({ of: subject, data, error: null, busy: false }),
      error => abort.signal.aborted || setState({ of: subject, data: undefined, error, busy: false }),
    );
    return () => abort.abort();
  }, [...inputs, round]);
  const again = useCallback(() => setRound(n => n + 1), []);
  const cancel = useCallback(() => {
    control.current?.abort();
    setState((/** @type {any} */ old) => ({ ...old, busy: false, error: old.data === undefined ? { status: 0, message: "Canceled before the response arrived." } : old.error }));
  }, []);
  const { of, ...held } = state;
  return { ...(same(of, subject) ? held : { data: undefined, error: null, busy: true }), again, cancel };
}

/** Whether the component is still shown: what ends later may not lead a person who has gone elsewhere. */
export function useShown() {
  const shown = useRef(true);
  useEffect(() => () => void (shown.current = false), []);
  return () => shown.current;
}
