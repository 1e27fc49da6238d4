const EPOCH_DIGITS = /^-?\d+$/;

/**
 * Extended JSON as front ends want it: dates as ISO 8601 strings, ObjectIds as 24 digits, decimals and large integers as
 * strings, binary data as base64. This loses types; what is written back is a string.
 */
export function fromBson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromBson);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value);
  const [key, inner] = entries[0] ?? ["", undefined];
  if (entries.length === 1 && key.startsWith("$")) {
    switch (key) {
      case "$oid":
      case "$numberDecimal":
      case "$uuid":
      case "$symbol":
        return inner;
      case "$date":
        return date(inner);
      case "$numberInt":
      case "$numberDouble":
        return Number.isFinite(Number(inner)) ? Number(inner) : null;
      case "$numberLong":
        return Number.isSafeInteger(Number(inner)) ? Number(inner) : inner;
      case "$binary":
        return (inner as { base64?: string }).base64 ?? inner;
    }
  }
  return Object.fromEntries(entries.map(([name, each]) => [name, fromBson(each)]));
}

function date(value: unknown): unknown {
  const millis = typeof value === "object" && value !== null ? (value as { $numberLong?: string }).$numberLong : value;
  const moment = new Date(typeof millis === "string" && EPOCH_DIGITS.test(millis) ? Number(millis) : (millis as string));
  return Number.isNaN(moment.getTime()) ? value : moment.toISOString();
}

/** What is written: `Date` as a date and `bigint` as a 64-bit integer of MongoDB; all else as JSON. */
export function toBson(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (typeof value === "bigint") return { $numberLong: value.toString() };
  if (Array.isArray(value)) return value.map(toBson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toBson(each)]));
}
