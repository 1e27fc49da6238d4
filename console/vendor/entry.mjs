// What the console takes from others, in one file: see build.sh.
export { h, render, Fragment, Component } from "preact";
export { useState, useEffect, useRef, useMemo, useCallback, useLayoutEffect } from "preact/hooks";
export { signal, computed, effect, batch, useSignal, useComputed, useSignalEffect } from "@preact/signals";
export { default as htm } from "htm";
export { EditorState, StateField, StateEffect, Compartment, Prec } from "@codemirror/state";
export {
  EditorView, keymap, lineNumbers, highlightActiveLine, highlightSpecialChars, drawSelection, placeholder, Decoration,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  StreamLanguage, HighlightStyle, syntaxHighlighting, bracketMatching, indentUnit, foldGutter, foldKeymap, foldService, indentOnInput,
} from "@codemirror/language";
export { json } from "@codemirror/lang-json";
export { autocompletion, completionKeymap, closeBrackets, closeBracketsKeymap, startCompletion } from "@codemirror/autocomplete";
export { linter, lintGutter, setDiagnostics, lintKeymap } from "@codemirror/lint";
export { searchKeymap, highlightSelectionMatches } from "@codemirror/search";
export { tags } from "@lezer/highlight";
export { default as uPlot } from "uplot";
