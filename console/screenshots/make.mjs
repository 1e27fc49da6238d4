// Fills a gateway with books and orders, and takes four pictures of the console.
import { chromium } from "playwright-core";

const base = process.argv[2];
const user = process.env.RH_USER || "admin:secret";
const headers = { Authorization: "Basic " + Buffer.from(user).toString("base64"), "Content-Type": "application/json" };
const send = (method, path, body) => fetch(base + path, { method, headers, body }).then(answer => answer.text());

const BOOKS = [
  ["The Periodic Table", "Primo Levi", 1975], ["Invisible Cities", "Italo Calvino", 1972], ["The Tartar Steppe", "Dino Buzzati", 1940],
  ["Zeno's Conscience", "Italo Svevo", 1923], ["The Leopard", "Giuseppe Tomasi di Lampedusa", 1958], ["The Name of the Rose", "Umberto Eco", 1980],
  ["Family Lexicon", "Natalia Ginzburg", 1963], ["My Brilliant Friend", "Elena Ferrante", 2011], ["The Betrothed", "Alessandro Manzoni", 1827],
  ["The Moon and the Bonfires", "Cesare Pavese", 1950], ["Arturo's Island", "Elsa Morante", 1957], ["The Late Mattia Pascal", "Luigi Pirandello", 1904],
];
for (const name of ["authors", "books", "customers", "events", "orders", "reviews"]) await send("PUT", "/" + name);
const books = Array.from({ length: 240 }, (_, i) => {
  const [title, author, year] = BOOKS[i % BOOKS.length];
  return `{_id: "b${1000 + i}", title: ${JSON.stringify(title)}, author: ${JSON.stringify(author)}, year: ${year}, price: NumberDecimal("${(9 + (i % 12) * 1.1).toFixed(2)}"), stock: NumberLong(${(i * 37) % 90}), available: ${i % 5 !== 0}, added: ISODate("2026-0${1 + (i % 9)}-1${i % 9}T09:00:00Z"), tags: ["novel"], publisher: {name: "Einaudi", city: "Turin"}}`;
});
await send("POST", "/books?wm=upsert", `[${books.join(",")}]`);
await send("PATCH", "/books", `{aggrs: [{uri: "by-author", stages: [{$match: {year: {$gt: {$var: ["since", 1900]}}}}, {$group: {_id: "$author", books: {$sum: 1}, first: {$min: "$year"}}}, {$sort: {first: 1}}]}]}`);
await send("PATCH", "/orders", `{streams: [{uri: "all", stages: []}]}`);

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
const page = async (place, colorScheme) => {
  const one = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
  one.setDefaultTimeout(60_000);
  await one.goto(`${base}/_console/${place}`);
  await one.fill("input[name=username]", user.split(":")[0]);
  await one.fill("input[name=password]", user.slice(user.indexOf(":") + 1));
  await one.click("button[type=submit]");
  const later = one.getByRole("button", { name: "Later" });
  await later.click({ timeout: 5000 }).catch(() => {}); // only a fresh gateway asks for a password
  return one;
};
const take = async (one, name) => {
  await one.waitForTimeout(800);
  await one.screenshot({ path: `${process.env.OUT}/${name}.png` });
  await one.close();
};

const documents = await page("#/c/books?filter={year:{$gt:1900}}&hide=tags", "light");
await documents.locator("table.grid tbody tr").first().waitFor();
await take(documents, "documents");

const aggregation = await page("#/c/books?tab=aggregations", "light");
await aggregation.getByRole("button", { name: "by-author", exact: true }).click();
await aggregation.getByRole("button", { name: "Run", exact: true }).click();
await aggregation.locator("table.grid tbody tr").first().waitFor();
await take(aggregation, "aggregation");

const live = await page("#/c/orders?tab=live", "dark");
await live.getByRole("button", { name: "Start" }).click();
await live.getByText("Listening").waitFor();
for (let i = 0; i < 9; i++) {
  await send("POST", "/orders?wm=upsert", JSON.stringify({ _id: "o" + i, customer: "c" + (i % 4), total: 12.5 + i, state: "open" }));
  await send("PATCH", "/orders/o" + i, `{"state": "sent", "parcel": ${1000 + i}}`);
}
await live.locator(".event").nth(8).waitFor();
await live.locator(".event button").nth(2).click();
await take(live, "live");

const metrics = await page("#/metrics", "dark");
let busy = true;
const clients = Array.from({ length: 64 }, async (_, n) => {
  for (let i = 0; busy; i++) await send("POST", "/events", JSON.stringify({ client: n, i }));
});
await metrics.waitForTimeout(24_000);
await take(metrics, "metrics");
busy = false;
await Promise.all(clients);
await browser.close();
