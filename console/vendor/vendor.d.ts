// What the console uses of vendor.js, for the checks of types alone; browsers never see it.
export const h: any, htm: any, Fragment: any, tags: any;
export function render(node: any, host: Element): void;
export class Component {
  state: any;
  props: any;
  setState(part: any): void;
}
type Inputs = readonly any[];
export function useState<T>(first: T | (() => T)): [T, (next: T | ((old: T) => T)) => void];
export function useRef<T>(first: T): { current: T };
export function useEffect(run: () => any, inputs?: Inputs): void;
export function useLayoutEffect(run: () => any, inputs?: Inputs): void;
export function useMemo<T>(make: () => T, inputs: Inputs): T;
export function useCallback<T>(of: T, inputs: Inputs): T;
export function signal<T>(first: T): { value: T };
export function computed<T>(of: () => T): { readonly value: T };
export function effect(run: () => any): () => void;
export function batch<T>(run: () => T): T;
export const useSignal: any, useComputed: any, useSignalEffect: any;
export const EditorState: any, StateField: any, StateEffect: any, Compartment: any, Prec: any, EditorView: any, keymap: any, lineNumbers: any;
export const highlightActiveLine: any, highlightSpecialChars: any, drawSelection: any, placeholder: any, Decoration: any, defaultKeymap: any;
export const history: any, historyKeymap: any, indentWithTab: any, StreamLanguage: any, HighlightStyle: any, syntaxHighlighting: any;
export const bracketMatching: any, indentUnit: any, foldGutter: any, foldKeymap: any, foldService: any, indentOnInput: any, json: any;
export const autocompletion: any, completionKeymap: any, closeBrackets: any, closeBracketsKeymap: any, startCompletion: any;
export const linter: any, lintGutter: any, setDiagnostics: any, lintKeymap: any, searchKeymap: any, highlightSelectionMatches: any, uPlot: any;
