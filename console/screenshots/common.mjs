// What both sets of pictures begin with: books in a gateway, and pages of somebody who is signed in.
import { chromium } from "playwright-core";

export const base = process.argv[2];
const user = process.env.RH_USER || "admin:secret";
const basic = account => "Basic " + Buffer.from(account).toString("base64");
export const send = (method, path, body, account = user, type = "application/json") =>
  fetch(base + path, { method, headers: { Authorization: basic(account), "Content-Type": type }, body }).then(answer => answer.text());

const BOOKS = [
  ["The Periodic Table", "Primo Levi", 1975], ["Invisible Cities", "Italo Calvino", 1972], ["The Tartar Steppe", "Dino Buzzati", 1940],
  ["Zeno's Conscience", "Italo Svevo", 1923], ["The Leopard", "Giuseppe Tomasi di Lampedusa", 1958], ["The Name of the Rose", "Umberto Eco", 1980],
  ["Family Lexicon", "Natalia Ginzburg", 1963], ["My Brilliant Friend", "Elena Ferrante", 2011], ["The Betrothed", "Alessandro Manzoni", 1827],
  ["The Moon and the Bonfires", "Cesare Pavese", 1950], ["Arturo's Island", "Elsa Morante", 1957], ["The Late Mattia Pascal", "Luigi Pirandello", 1904],
];

/** Collections, and 240 books. */
export async function fill() {
  for (const name of ["authors", "books", "customers", "events", "orders", "reviews"]) await send("PUT", "/" + name);
  const books = Array.from({ length: 240 }, (_, i) => {
    const [title, author, year] = BOOKS[i % BOOKS.length];
    return `{_id: "b${1000 + i}", title: ${JSON.stringify(title)}, author: ${JSON.stringify(author)}, year: ${year}, price: NumberDecimal("${(9 + (i % 12) * 1.1).toFixed(2)}"), stock: NumberLong(${(i * 37) % 90}), available: ${i % 5 !== 0}, added: ISODate("2026-0${1 + (i % 9)}-1${i % 9}T09:00:00Z"), tags: ["novel"], publisher: {name: "Einaudi", city: "Turin"}}`;
  });
  await send("POST", "/books?wm=upsert", `[${books.join(",")}]`);
  await send("PATCH", "/books", `{aggrs: [{uri: "by-author", stages: [{$match: {year: {$gt: {$var: ["since", 1900]}}}}, {$group: {_id: "$author", books: {$sum: 1}, first: {$min: "$year"}}}, {$sort: {first: 1}}]}]}`);
  await send("PATCH", "/orders", `{streams: [{uri: "all", stages: []}]}`);
}

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });

/** Signs in on a page that asks for it. */
export async function signIn(page, account = user) {
  await page.fill("input[name=username]", account.split(":")[0]);
  await page.fill("input[name=password]", account.slice(account.indexOf(":") + 1));
  await page.click("button[type=submit]");
  const later = page.getByRole("button", { name: "Later" });
  if (account === user) await later.click({ timeout: 5000 }).catch(() => {}); // only a fresh gateway asks for a password
  await page.waitForSelector(".frame");
}

/** A page of the console at a place. */
export async function open(browser, place, { colorScheme = "light", width = 1280, height = 800, account = user } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme });
  page.setDefaultTimeout(60_000);
  await page.goto(`${base}/_console/${place}`);
  await signIn(page, account);
  return page;
}
