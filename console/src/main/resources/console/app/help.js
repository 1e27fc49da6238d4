// Where the documentation says more about a page.
import { html } from "./dom.js";
import { Icon } from "./icons.js";
import { href } from "./route.js";

/** @param {string} page of the documentation, such as "reference/rules" @param {string} at a heading of it */
export const docsHref = (page, at = "") => href("docs", page.split("/"), { at });

/** @param {{page: string, at?: string, about: string}} props about: what is explained */
export const Help = ({ page, at, about }) => html`<a class="button plain help" href=${docsHref(page, at)} aria-label=${`Documentation: ${about}`} title=${`Documentation: ${about}`}><${Icon} name="question" /><span class="wide-only">Docs</span></a>`;
