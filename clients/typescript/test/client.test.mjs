// Against the gateway at GATEWAY_URL, whose account admin has the password in ADMIN_PASSWORD.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Problem, RestHeart } from "../dist/index.js";

const url = process.env.GATEWAY_URL;
const password = process.env.ADMIN_PASSWORD;

/** Counts requests, and cuts connections when told to. */
const network = { requests: [], open: new Set() };
async function counted(target, init = {}) {
  network.requests.push(`${init.method ?? "GET"} ${new URL(target).pathname}`);
  const cut = new AbortController();
  network.open.add(cut);
  const signals = [cut.signal, ...(init.signal ? [init.signal] : [])];
  return fetch(target, { ...init, signal: AbortSignal.any(signals) });
}
const client = new RestHeart(url, { fetch: counted });
const books = client.collection("/books");

async function until(condition) {
  for (let i = 0; !condition(); i++) {
    if (i > 3000) throw new Error("waited in vain");
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}
const problem = (status, code) => failure => failure instanceof Problem && failure.status === status && (!code || failure.code === code);

before(async () => {
  await client.login("admin", password);
  await client.send("PUT", "/books", { body: { streams: [{ uri: "all", stages: [] }],
    aggrs: [{ uri: "of-year", stages: [{ $match: { year: { $var: "y" } } }, { $project: { title: 1 } }] }] } });
  await client.send("PUT", "/pictures.files");
  // log-ins of one account share a token, so that those who log out are others
  for (const name of ["ann", "ben"]) {
    await client.collection("/users").insert({ _id: name, password: "mild-Fern.Orbits3", roles: ["reader"] });
  }
  await client.collection("/acl").insert({ roles: ["reader"], predicate: "path-prefix('/books') and method(GET)", priority: 1 });
});
after(() => client.logout());

test("a wrong password is a problem, and a log-out ends the token", async () => {
  const other = new RestHeart(url);
  await assert.rejects(other.login("ann", "wrong"), problem(401));
  const account = await other.login("ann", "mild-Fern.Orbits3");
  assert.deepEqual([account.username, account.roles], ["ann", ["reader"]]);
  await other.logout();
  other.restore(account);
  await assert.rejects(other.collection("/books").find(), problem(401, "AUTHENTICATION_REQUIRED"));
  assert.equal(other.account, null);
});

test("a token that ends soon is renewed once, for all requests that need it", async () => {
  const other = new RestHeart(url, { fetch: counted });
  const first = await other.login("ben", "mild-Fern.Orbits3");
  other.restore({ ...first, expiresAt: Date.now() + 1000 });
  network.requests.length = 0;
  await Promise.all([1, 2, 3].map(() => other.collection("/books").count()));
  assert.equal(network.requests.filter(request => request === "POST /token").length, 1);
  assert.ok(other.account.expiresAt > Date.now() + 60_000);
  await other.logout();
});

test("documents are written and read with plain values", async () => {
  const id = await books.insert({ title: "Emma", at: new Date(0), pages: 2n });
  assert.match(id, /^[0-9a-f]{24}$/);
  const read = await books.get(id);
  assert.equal(read._id, id);
  assert.deepEqual([read.title, read.at, read.pages], ["Emma", "1970-01-01T00:00:00.000Z", 2]);
  assert.match(read._etag, /^[0-9a-f]{24}$/);
  await books.remove(id);
  assert.equal(await books.get(id), null);
});

test("of two writers with one ETag the second is told, and may try again", async () => {
  const id = await books.insert({ title: "Counter", n: 0 });
  const read = await books.get(id);
  await books.replace({ ...read, n: 1 });
  await assert.rejects(books.replace({ ...read, n: 2 }), failure => failure.isStale && failure.code === "PRECONDITION_FAILED");
  await assert.rejects(books.patch(id, { n: 3 }, read._etag), failure => failure.isStale);
  await Promise.all([1, 2, 3, 4].map(() => books.change(id, document => void document.n++)));
  assert.equal((await books.get(id)).n, 5);
  assert.equal(await books.change("missing", document => document), null);
});

test("pages follow one another", async () => {
  for (let n = 0; n < 7; n++) await books.insert({ page: n });
  const filter = { page: { $exists: true } };
  const found = await books.find({ filter, sort: "page", pagesize: 3, count: true });
  assert.deepEqual([found.total, found.documents.map(each => each.page)], [7, [0, 1, 2]]);
  const all = [];
  for await (const each of books.all({ filter, sort: "page", pagesize: 3 })) all.push(each.page);
  assert.deepEqual(all, [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(await books.count(filter), 7);
});

test("aggregations take variables", async () => {
  await books.insert({ title: "Persuasion", year: 1817 });
  const found = await books.aggregate("of-year", { y: 1817 });
  assert.deepEqual(found.map(each => each.title), ["Persuasion"]);
});

test("a mistake in a query is a problem with a code", async () => {
  await assert.rejects(books.find({ filter: { $oops: 1 } }), problem(400));
  await assert.rejects(books.insert({ _id: "twice" }).then(() => books.insert({ _id: "twice" })), problem(409, "DUPLICATE_KEY"));
});

test("a live list goes on where a lost connection ended", async () => {
  const seed = await books.insert({ live: 0 });
  let shown = [];
  const list = books.live("all", documents => (shown = documents.filter(each => "live" in each).map(each => each.live)), {
    query: { filter: { live: { $exists: true } } }, compare: (a, b) => a.live - b.live });
  await until(() => shown.length === 1);
  await books.insert({ live: 1 });
  await until(() => shown.length === 2);
  for (const cut of network.open) cut.abort();
  const id = await books.insert({ live: 2 });
  await books.remove(seed);
  await until(() => shown.join() === "1,2");
  await books.patch(id, { live: 3 });
  await until(() => shown.join() === "1,3");
  list.close();
  await list.done;
});

test("changes that nobody may listen to are a problem", async () => {
  await assert.rejects(books.changes("nope").next(), problem(404));
});

test("transactions that meet are repeated, and all of each or nothing is stored", async () => {
  await books.insert({ _id: "stock", left: 5 });
  const buy = () => client.transaction(async within => {
    const stock = within.collection("/books");
    const { left } = await stock.get("stock");
    if (left === 0) throw new Error("sold out");
    await stock.insert({ sold: left });
    await stock.patch("stock", { left: left - 1 });
  }, 30);
  const results = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(buy));
  const refused = results.filter(each => each.status === "rejected").map(each => each.reason.message);
  assert.deepEqual(refused, ["sold out"]);
  assert.equal((await books.get("stock")).left, 0);
  assert.equal(await books.count({ sold: { $exists: true } }), 5);
});

test("files come back as they were", async () => {
  const pictures = client.files("/pictures.files");
  const id = await pictures.upload(new Blob(["abc"], { type: "text/plain" }), { filename: "a.txt", metadata: { tag: "x" } });
  assert.equal(await (await pictures.download(id)).text(), "abc");
  assert.equal((await client.collection("/pictures.files").get(id)).metadata.tag, "x");
  await pictures.remove(id);
  await assert.rejects(pictures.download(id), problem(404));
});

test("a request whose path a browser would change is not sent", async () => {
  const sent = network.requests.length;
  for (const id of [".", ".."]) {
    await assert.rejects(books.remove(id), TypeError);
    await assert.rejects(books.patch(id, { a: 1 }), TypeError);
    await assert.rejects(client.files("/pictures.files").remove(id), TypeError);
    assert.throws(() => client.files("/pictures.files").address(id), TypeError);
  }
  for (const path of ["/books/%2e%2E", "/books/.%2e/users", "/../users"]) await assert.rejects(client.send("DELETE", path), TypeError);
  assert.equal(network.requests.length, sent);
});
