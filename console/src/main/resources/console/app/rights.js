// Whether an action is worth showing: what the gateway answers with "no" for this account is left out. What depends on the
// request is shown, and its refusal explained; the gateway decides either way.
import { readOnly, resources } from "./state.js";
import { known } from "./resources.js";

/** @param {string[]} path @param {string} operation of G-2's answer, such as "create" or "manage" */
export function may(path, operation) {
  const place = path.join("/");
  const operations = place ? known().find(node => node.path.join("/") === place)?.operations : resources.value.here;
  return operations?.[operation] !== "no";
}

/** The same for an action that writes. @param {string[]} path @param {string} operation */
export const mayWrite = (path, operation) => !readOnly.value && may(path, operation);
