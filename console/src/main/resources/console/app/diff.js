// What three versions of a document differ in, field by field.
import { inline } from "./shellprint.js";

/** @param {any} a @param {any} b whether both are the same value of the same type */
export const same = (a, b) => (a && b ? inline(a) === inline(b) : a === b);

const names = (/** @type {any[]} */ ...documents) => [...new Set(documents.flatMap(one => one.e.map((/** @type {any} */ [name]) => name)))].filter(name => name !== "_etag" && name !== "_id");
const member = (/** @type {any} */ document, /** @type {string} */ name) => document.e.find((/** @type {any} */ [k]) => k === name)?.[1];

/** Fields of which two versions differ. @param {any} base @param {any} mine @param {any} theirs
 * @returns {{name: string, base: any, mine: any, theirs: any, both: boolean, take: "mine"|"theirs"}[]} */
export function compare(base, mine, theirs) {
  return names(base, mine, theirs)
    .map(name => ({ name, base: member(base, name), mine: member(mine, name), theirs: member(theirs, name) }))
    .filter(({ mine, theirs }) => !same(mine, theirs))
    .map(row => {
      const changedMine = !same(row.base, row.mine);
      const changedTheirs = !same(row.base, row.theirs);
      return { ...row, both: changedMine && changedTheirs, take: /** @type {"mine"|"theirs"} */ (changedMine ? "mine" : "theirs") };
    });
}

/** Theirs with what was chosen of mine. @param {any} theirs @param {any[]} rows */
export function merged(theirs, rows) {
  const e = theirs.e.filter((/** @type {any} */ [name]) => name !== "_etag").map((/** @type {any} */ pair) => [...pair]);
  for (const row of rows) {
    if (row.take === "theirs") continue;
    const at = e.findIndex((/** @type {any} */ [name]) => name === row.name);
    if (row.mine === undefined) {
      if (at >= 0) e.splice(at, 1);
    } else if (at >= 0) e[at][1] = row.mine;
    else e.push([row.name, row.mine]);
  }
  return { ...theirs, e };
}

/** An update that makes one document of another, and a filter for the old values. @param {any} base @param {any} mine */
export function update(base, mine) {
  const set = [];
  const unset = [];
  const old = [];
  for (const name of names(base, mine)) {
    const [before, after] = [member(base, name), member(mine, name)];
    if (same(before, after)) continue;
    const key = JSON.stringify(name);
    old.push(before === undefined ? `${key}: {$exists: false}` : `${key}: {$eq: ${inline(before)}}`);
    if (after === undefined) unset.push(`${key}: 1`);
    else set.push(`${key}: ${inline(after)}`);
  }
  const parts = [set.length && `$set: {${set.join(", ")}}`, unset.length && `$unset: {${unset.join(", ")}}`].filter(Boolean);
  return { body: `{${parts.join(", ")}}`, filter: `{${old.join(", ")}}`, empty: !parts.length };
}
