// The text editor. It lives in a shadow root: there CodeMirror adopts its style sheets, which the policy allows; elsewhere it
// would insert a <style>, which the policy refuses.
import { html, useEffect, useRef } from "./dom.js";
import {
  autocompletion, bracketMatching, closeBrackets, closeBracketsKeymap, completionKeymap, defaultKeymap, drawSelection, EditorState, EditorView,
  foldGutter, foldKeymap, highlightActiveLine, highlightSelectionMatches, highlightSpecialChars, HighlightStyle, history, historyKeymap, indentUnit, keymap,
  lineNumbers, linter, placeholder, Prec, searchKeymap, StreamLanguage, syntaxHighlighting, tags,
} from "../vendor.js";
import { parse } from "./shell.js";

const language = StreamLanguage.define({ name: "shell", startState: () => ({ depth: 0 }), token, languageData: { closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } } });

const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--text)" },
  { tag: tags.keyword, color: "var(--accent-text)" },
  { tag: tags.string, color: "var(--t-string)" },
  { tag: tags.number, color: "var(--t-number)" },
  { tag: tags.bool, color: "var(--t-bool)" },
  { tag: tags.null, color: "var(--quiet)" },
  { tag: tags.typeName, color: "var(--t-oid)" },
  { tag: tags.regexp, color: "var(--t-date)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "transparent", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--quiet)", border: "none" },
  ".cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-selectionBackground": { background: "var(--selection) !important" },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "6px", overflow: "hidden" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: ".75" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-matchingBracket": { backgroundColor: "var(--hover) !important", outline: "1px solid var(--line)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--hover)", border: "1px solid var(--line)", color: "var(--quiet)" },
  ".cm-panels": { backgroundColor: "var(--panel)", color: "var(--text)" },
});

/** Where a text cannot be read, or null. @param {string} text */
export function problem(text) {
  if (!text.trim()) return null;
  try {
    parse(text);
    return null;
  } catch (failure) {
    return /** @type {import("./shell.js").ShellError} */ (failure);
  }
}

/** @param {{value: string, onChange?: (text: string) => void, onRun?: () => void, label: string, hint?: string, line?: boolean, readOnly?: boolean,
 *   complete?: (context: any) => any, marks?: {from: number, to: number, message: string, severity?: string}[], plain?: boolean, autofocus?: boolean, id?: string}} props
 *   value: taken over when it is not what was typed here; line: one line; plain: no shell text */
export function Editor(props) {
  const host = useRef(/** @type {any} */ (null));
  const view = useRef(/** @type {any} */ (null));
  const now = useRef(props);
  // what was typed and has not come back as a value yet: values arrive later than the next keys
  const sent = useRef(/** @type {string[]} */ ([]));
  const taking = useRef(false);
  const marked = useRef(false);
  now.current = props;

  useEffect(() => {
    const root = host.current.shadowRoot || host.current.attachShadow({ mode: "open" });
    const marks = () => {
      const at = now.current.plain ? null : problem(view.current?.state.doc.toString() ?? "");
      const length = view.current?.state.doc.length ?? 0;
      const own = at ? [{ from: Math.max(0, Math.min(at.at, length) - (at.at >= length && length > 0 ? 1 : 0)), to: Math.min(length, at.at + 1), severity: "error", message: at.message }] : [];
      return [...own, ...(now.current.marks || []).map(mark => ({ severity: "warning", ...mark, from: Math.min(mark.from, length), to: Math.min(mark.to, length) }))];
    };
    const run = () => (now.current.onRun ? (now.current.onRun(), true) : false);
    const line = props.line;
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: props.value,
        extensions: [
          Prec.highest(keymap.of([{ key: "Ctrl-Enter", mac: "Cmd-Enter", run }])),
          line ? Prec.high(keymap.of([{ key: "Enter", run }])) : [], // after the list of completions, which takes Enter while it is open
          autocompletion({ override: [context => now.current.complete?.(context) ?? null], icons: false, activateOnTyping: true }),
          props.plain ? [] : [language, syntaxHighlighting(colors)],
          linter(marks, { delay: 250, needsRefresh: () => marked.current }),
          history(), drawSelection(), bracketMatching(), closeBrackets(), highlightSpecialChars(), indentUnit.of("  "),
          line ? EditorState.transactionFilter.of(tr => (tr.newDoc.lines > 1 ? [] : tr)) : [lineNumbers(), foldGutter(), highlightActiveLine(), highlightSelectionMatches()],
          line ? [] : EditorView.lineWrapping,
          EditorState.readOnly.of(Boolean(props.readOnly)),
          EditorView.contentAttributes.of({ "aria-label": props.label, ...(props.id ? { id: props.id } : {}) }),
          props.hint ? placeholder(props.hint) : [],
          keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...searchKeymap, ...foldKeymap, ...defaultKeymap]),
          EditorView.updateListener.of(update => {
            if (update.docChanged && !taking.current) {
              const text = update.state.doc.toString();
              sent.current.push(text);
              now.current.onChange?.(text);
            }
          }),
          look,
        ],
      }),
    });
    view.current = editor;
    host.current.editor = editor;
    if (props.autofocus) editor.focus();
    return () => editor.destroy();
  }, [props.readOnly]);

  // marks come from elsewhere, such as a refusal, while the text stays as it is
  const marksText = JSON.stringify(props.marks || []);
  useEffect(() => {
    marked.current = true;
    view.current?.dispatch({});
    marked.current = false;
  }, [marksText]);
  useEffect(() => view.current?.contentDOM.setAttribute("aria-label", props.label), [props.label]);
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const typed = sent.current.lastIndexOf(props.value);
    if (typed >= 0) sent.current.splice(0, typed + 1);
    else if (props.value !== editor.state.doc.toString()) {
      sent.current = [];
      taking.current = true;
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: props.value } });
      taking.current = false;
    }
  }, [props.value]);

  return html`<div class=${props.line ? "editor line" : "editor"} ref=${host}></div>`;
}

/** Colors for the shell's spelling, token by token. @param {any} stream of CodeMirror @returns {string|null} */
function token(stream) {
  if (stream.eatSpace()) return null;
  const c = stream.next();
  if (c === '"' || c === "'") {
    let escaped = false;
    for (let next = stream.next(); next; next = stream.next()) {
      if (next === c && !escaped) return stream.match(/\s*:/, false) ? "propertyName" : "string";
      escaped = !escaped && next === "\\";
    }
    return "string";
  }
  if (c === "/" && stream.match(/^(\\.|[^/\\])+\/[a-z]*/)) return "regexp";
  if (/[-+.\d]/.test(c)) {
    stream.match(/^[\w.+-]*/);
    return "number";
  }
  if (/[A-Za-z_$]/.test(c)) {
    stream.match(/^[\w$.]*/);
    const word = stream.current();
    if (stream.match(/\s*:/, false)) return word[0] === "$" ? "keyword" : "propertyName";
    if (word === "true" || word === "false") return "bool";
    if (word === "null" || word === "undefined") return "null";
    return "typeName";
  }
  return null;
}
