/** What is written: `Date` as a date and `bigint` as a 64-bit integer of MongoDB; all else as JSON. */
export function toBson(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.getTime() };
  if (typeof value === "bigint") return { $numberLong: value.toString() };
  if (Array.isArray(value)) return value.map(toBson);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toBson(each)]));
}
