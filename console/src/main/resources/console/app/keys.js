// The keyboard: what every key does, wherever it is pressed.
import { panel, settings } from "./state.js";
import { go } from "./route.js";

export const KEYS = /** @type {[string, string][]} */ ([
  ["Ctrl K", "Find collections, pages and actions"],
  ["/", "To the filter"],
  ["g d", "Databases and collections"],
  ["g a", "Access"],
  ["g m", "Metrics"],
  ["g p", "The API"],
  ["g t", "Try a request"],
  ["j k", "Next, previous row"],
  ["Enter", "Open"],
  ["e", "Edit the open document"],
  ["n", "New document"],
  ["Ctrl S", "Save, or confirm a dialog"],
  ["Ctrl Enter", "Run"],
  ["Esc", "Leave an editor (then Tab moves on) or close a dialog"],
  ["?", "This list"],
]);

/** What the page that is shown does for a key. @type {Record<string, () => void>} */
export const pageKeys = {};

const PLACES = { d: "#/", a: "#/access", m: "#/metrics", p: "#/api", t: "#/try" };

const writes = (/** @type {any} */ element) => {
  const inner = element?.shadowRoot?.activeElement || element;
  return inner?.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(inner?.tagName || "");
};

/** Listens for the life of the page. */
export function listen() {
  let begun = "";
  addEventListener("keydown", event => {
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "k") {
      event.preventDefault();
      panel.value = panel.value === "palette" ? null : "palette";
      return;
    }
    if (control && event.key.toLowerCase() === "s") {
      event.preventDefault();
      const dialog = document.querySelector("dialog[open]");
      if (dialog) /** @type {any} */ (dialog.querySelector("footer .primary, form .primary[type=submit]"))?.click();
      else pageKeys.save?.();
      return;
    }
    if (control || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && writes(document.activeElement) && !event.defaultPrevented) {
      /** @type {any} */ (document.activeElement).blur();
      document.getElementById("main")?.focus();
      return;
    }
    if (!settings.value.letterKeys || writes(document.activeElement)) return;
    if (begun === "g") {
      begun = "";
      if (PLACES[event.key]) go(PLACES[event.key]);
      return;
    }
    begun = event.key === "g" ? "g" : "";
    if (event.key === "?") panel.value = "keys";
    const act = pageKeys[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  });
}
