// Icons, drawn by hand on a grid of 16.
import { html } from "./dom.js";

const PATHS = {
  database: "M2.5 4c0-1.1 2.5-2 5.5-2s5.5.9 5.5 2v8c0 1.1-2.5 2-5.5 2s-5.5-.9-5.5-2zm0 0c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2m-11 4c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2",
  collection: "M2.5 3h11v3.2h-11zm0 3.2h11v3.4h-11zm0 3.4h11V13h-11z",
  bucket: "M2.5 4.5v-1.5h4l1.5 1.5h5.5v8.5h-11z",
  schemas: "M6 2.5c-1.6 0-2 .8-2 2v1.7c0 1-.5 1.6-1.5 1.8 1 .2 1.5.8 1.5 1.8v1.7c0 1.2.4 2 2 2m4-11c1.6 0 2 .8 2 2v1.7c0 1 .5 1.6 1.5 1.8-1 .2-1.5.8-1.5 1.8v1.7c0 1.2-.4 2-2 2",
  book: "M2.5 3.5c2-1 4-1 5.5 0 1.5-1 3.5-1 5.5 0V13c-2-1-4-1-5.5 0-1.5-1-3.5-1-5.5 0zm5.5 0V13",
  access: "M5.2 7V5a2.8 2.8 0 0 1 5.6 0v2M3.5 7h9v6.5h-9z",
  metrics: "M2 13.5h12M4 11V8m4 3V4m4 7V6.5",
  send: "M13.5 2.5 7 9m6.5-6.5L9.5 14 7 9 2 6.5z",
  settings: "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm0-8v2m0 8v2m6-6h-2M4 8H2m10.2-4.2-1.4 1.4M5.2 10.8l-1.4 1.4m8.4 0-1.4-1.4M5.2 5.2 3.8 3.8",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zm3.3-1.2L14 14",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm0-9.5V3m0 10v1.5M1.5 8H3m10 0h1.5M3.4 3.4l1 1m7.2 7.2 1 1m0-9.2-1 1m-7.2 7.2-1 1",
  contrast: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M10 3v10m2-8.4v6.8",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  user: "M8 8a2.8 2.8 0 1 0 0-5.5A2.8 2.8 0 0 0 8 8zm-5.5 5.5c.5-2.5 2.7-4 5.5-4s5 1.5 5.5 4",
  chevron: "m6 4 4 4-4 4",
  down: "m4 6 4 4 4-4",
  up: "m4 10 4-4 4 4",
  plus: "M8 3v10M3 8h10",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M5.5 5.5h8v8h-8zm-3 5v-8h8",
  trash: "M3 4.5h10m-6.5 0V3h3v1.5M4.5 4.5l.5 9h6l.5-9m-5 2.5v4m3-4v4",
  edit: "m3 13 .7-2.8L11 3l2 2-7.2 7.3z",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5L13 6m0-3.5V6H9.5",
  download: "M8 2.5v8m-3-3 3 3 3-3m-8.5 6h11",
  upload: "M8 10.5v-8m-3 3 3-3 3 3m-8.5 8h11",
  columns: "M2.5 3h11v10h-11zm3.7 0v10m3.6-10v10",
  menu: "M2.5 4.5h11m-11 3.5h11m-11 3.5h11",
  warning: "M8 2 14.5 13.5h-13zm0 4.5v3.5m0 1.5v.5",
  check: "m3 8.5 3.5 3.5L13 5",
  play: "M5 3v10l8-5z",
  pause: "M5 3v10m6-10v10",
  grip: "M6 4v.1M6 8v.1M6 12v.1M10 4v.1M10 8v.1M10 12v.1",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zm6.5 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  leave: "M9.5 3h-6v10h6m-3-5h7.5m-2.5-2.5L13.5 8 11 10.5",
  filter: "M2.5 3.5h11L9.5 8.5V13l-3-1.5v-3z",
  home: "M2.5 7.5 8 2.5l5.5 5v6h-11z",
  question: "M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.6m0 2v.1M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z",
};

/** @param {{name: string}} props decoration: what it means stands beside it or in the button's label */
export const Icon = ({ name }) =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false"><path d=${PATHS[name]} /></svg>`;
