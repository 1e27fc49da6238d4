// The binding of components to the page. Everything that shows anything imports from here.
import { h, htm } from "../vendor.js";

export { render, Fragment, Component, useState, useEffect, useRef, useMemo, useCallback, useLayoutEffect } from "../vendor.js";
export { signal, computed, effect, batch, useSignal, useComputed, useSignalEffect } from "../vendor.js";

export const html = htm.bind(h);

/** Joins the names of classes that apply. @param {...(string|false|null|undefined)} names */
export const cls = (...names) => names.filter(Boolean).join(" ");

/** Puts text on the clipboard. @param {string} text @returns {Promise<boolean>} whether that was possible */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Lets the browser save what is in memory. @param {string} name @param {Blob} blob */
export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
