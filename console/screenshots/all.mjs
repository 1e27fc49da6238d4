// Takes every page and many states of the console, dark and light, wide and narrow: for people who change how it looks.
import { crc32, deflateSync } from "node:zlib";
import { base, fill, launch, open, send, signIn } from "./common.mjs";

const LONG = "a-collection-with-a-very-long-name-that-nobody-would-type-twice-archive-2026";
const reader = "mia:wordless";
const nobody = "nobody:wordless";

/** A PNG of two colours that run into each other. */
function picture(width, height) {
  const rows = Buffer.concat(Array.from({ length: height }, (_, y) => Buffer.from([0, ...Array.from({ length: width }, (_, x) => [74 + (x * 120) / width, 85, 201 - (y * 120) / height].map(Math.round)).flat()])));
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", Buffer.alloc(0))]);
}

async function prepare() {
  await fill();
  for (const name of [LONG, "日本語の商品", "<b>markup</b>", "empty", "typed", "photos.files", "_schemas"]) await send("PUT", "/" + encodeURIComponent(name));
  const deep = `{_id: ObjectId("6b02c888c7449297a9373f31"), customer: {name: "Żaneta Øst-Müller", address: {street: "Straße des 17. Juni", lines: ["c/o 山田太郎", "🏠 3"], geo: {type: "Point", coordinates: [13.37, 52.51]}}}, lines: [{sku: "x-1", n: 2, price: NumberDecimal("12.50")}, {sku: "y", n: NumberLong(1), note: null}], paid: false, at: ISODate("2026-11-02T09:00:00Z"), note: "${"A long remark of a customer who has a lot to say. ".repeat(12)}"}`;
  await send("POST", "/orders?wm=upsert", `[${deep}, {_id: 7, state: "open"}, {_id: true}, {_id: NumberDecimal("1.5"), "tricky.key": "\\u202eright to left", " ": 1}]`);
  await send("POST", "/" + LONG + "?wm=upsert", `[{_id: "${"long-id-".repeat(20)}", ${Array.from({ length: 30 }, (_, i) => `aFieldWithAnUnreasonablyLongName${i}: ${i}`).join(", ")}}]`);
  await send("POST", "/" + encodeURIComponent("日本語の商品") + "?wm=upsert", `[{_id: 1, "名前": "湯呑み", "値段": 1200, "説明": "手作りの湯呑みです。"}, {_id: 2, "名前": "急須", "値段": NumberLong(4800)}]`);
  await send("POST", "/" + encodeURIComponent("<b>markup</b>") + "?wm=upsert", `[{_id: "<img src=x>", "<i>key</i>": "<script>alert(1)</script>"}]`);
  await send("POST", "/typed?wm=upsert", `[{_id: "t1", text: "a\\"b", double: 1.0, nan: NaN, int: 5, long: NumberLong("9223372036854775807"), dec: NumberDecimal("1.10"), oid: ObjectId("6b02c888c7449297a9373f31"), date: ISODate("2020-01-01T00:00:00.123Z"), bin: BinData(0, "AQID"), re: /^a/i, ts: Timestamp(1, 2), min: MinKey, nothing: null, code: {$code: "f()"}, list: [1, [2.5, {x: []}]], yes: true}]`);
  await send("PUT", "/_schemas/book?wm=upsert", `{type: "object", required: ["title"], properties: {_id: {}, _etag: {}, title: {type: "string", description: "As on the cover"}, year: {type: "integer", minimum: 0}, available: {type: "boolean"}, binding: {enum: ["cloth", "paper"]}}}`);
  await send("PUT", "/typed-books");
  await send("PATCH", "/typed-books", `{jsonSchema: {schemaId: "book"}, descr: "Books that conform"}`);
  await send("POST", "/typed-books?wm=upsert", `[{_id: "x", title: "Invisible Cities", year: 1972, available: true, binding: "cloth"}]`);
  await send("PUT", "/books/_indexes/by-author-and-year", `{keys: {author: 1, year: -1}}`);
  await send("PUT", "/books/_indexes/expiring", `{keys: {added: 1}, ops: {expireAfterSeconds: 864000000, sparse: true}}`);
  const png = picture(240, 160);
  const form = new FormData();
  form.append("metadata", JSON.stringify({ _id: "logo", filename: "logo.png", contentType: "image/png" }));
  form.append("file", new Blob([png], { type: "image/png" }), "logo.png");
  await fetch(base + "/photos.files", { method: "POST", headers: { Authorization: "Basic " + Buffer.from(process.env.RH_USER || "admin:secret").toString("base64") }, body: form });
  for (const [name, role] of [["mia", "reader"], ["nobody", "none"]]) await send("POST", "/users?wm=upsert", JSON.stringify({ _id: name, password: "wordless", roles: [role] }));
  await send("POST", "/acl?wm=upsert", `[{_id: "readers", roles: ["reader"], priority: 100, predicate: "path-prefix('/books') and method(GET) and qparams-whitelist(filter, keys, sort, page, pagesize, jsonMode, count, rep, np)", mongo: {readFilter: {year: {$gt: 1900}}}}, {_id: "writers", roles: ["editor", "librarian"], priority: 50, predicate: "path-prefix('/books') or path-prefix('/authors')", mongo: {allowManagementRequests: true, allowBulkPatch: true}}]`);
}

const button = (page, name) => page.getByRole("button", { name, exact: true });
const write = async (page, label, text) => {
  await page.locator(`.cm-content[aria-label='${label}']`).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
};
const slow = page => page.route(url => url.href.includes("/books?"), async route => (await new Promise(done => setTimeout(done, 6000)), route.continue().catch(() => {})));

/** Name, place, what is done there, options. @type {[string, string, ((page: any) => Promise<any>)?, any?][]} */
const SHOTS = [
  ["home", "#/"],
  ["documents", "#/c/books"],
  ["documents-query", "#/c/books?filter={year:{$gt:1950}}&sort={year:-1}&keys={tags:0}"],
  ["documents-selected", "#/c/books", async page => (await page.locator("td.pick input").nth(1).check(), page.locator("td.pick input").nth(2).check())],
  ["documents-columns", "#/c/books", page => button(page, "Columns").click()],
  ["documents-list", "#/c/orders?view=list", page => button(page, "Expand all").click()],
  ["documents-text", "#/c/books?view=text"],
  ["documents-odd", "#/c/orders"],
  ["documents-long", `#/c/${LONG}`],
  ["documents-unicode", "#/c/" + encodeURIComponent("日本語の商品")],
  ["documents-markup", "#/c/" + encodeURIComponent("<b>markup</b>")],
  ["documents-empty", "#/c/empty"],
  ["documents-nothing", "#/c/books?filter={year:1}"],
  ["documents-bad", "#/c/books?filter={year:{$nope:1}}"],
  ["documents-loading", "#/", async page => (await slow(page), await page.evaluate(() => (location.hash = "#/c/books")), await page.waitForTimeout(2600))],
  ["documents-gone", "#/", async page => (await page.context().setOffline(true), await page.evaluate(() => (location.hash = "#/c/authors")), page.waitForTimeout(1200))],
  ["bucket", "#/c/photos.files"],
  ["bucket-file", '#/c/photos.files?doc="logo"'],
  ["bulk", "#/c/books?filter={year:{$lt:1950}}", async page => (await button(page, "All results").click(), page.getByRole("menuitem", { name: "Delete all…" }).click())],
  ["document", '#/c/books?doc="b1000"'],
  ["document-types", '#/c/typed?doc="t1"'],
  ["document-deep", '#/c/orders?doc=ObjectId("6b02c888c7449297a9373f31")'],
  ["document-new", "#/c/books?doc=new", page => write(page, "Document", '{"title": }')],
  ["document-form", '#/c/typed-books?doc="x"'],
  ["document-refused", "#/c/typed-books?doc=new", async page => (await write(page, "Document", '{title: 5, year: -1}'), button(page, "Create").click())],
  ["document-missing", '#/c/books?doc="none"'],
  ["document-menu", '#/c/books?doc="b1000"', page => button(page, "More").click()],
  ["document-conflict", '#/c/books?doc="b1001"', async page => (await write(page, "Document", '{_id: "b1001", title: "Mine", year: 1972}'), await send("PATCH", "/books/b1001", `{title: "Theirs ${Date.now()}", stock: 3}`), button(page, "Save").click())],
  ["aggregations", "#/c/books?tab=aggregations", async page => (await button(page, "by-author").click(), button(page, "Run").click())],
  ["aggregations-refused", "#/c/books?tab=aggregations", async page => (await button(page, "Add stage").click(), await page.getByLabel("Operator of stage 2").selectOption("$out"), await write(page, "Stage 2, $out", '"stolen"'), button(page, "Run").click())],
  ["live", "#/c/orders?tab=live", async page => {
    await button(page, "Start").click();
    await page.getByText("Listening", { exact: true }).waitFor();
    for (let i = 0; i < 6; i++) (await send("POST", "/orders?wm=upsert", JSON.stringify({ _id: "o" + i, customer: "c" + i, total: 12.5 + i })), await send("PATCH", "/orders/o" + i, `{state: "sent${Date.now()}"}`));
    await page.locator(".event").nth(6).waitFor();
    await page.locator(".event button").nth(0).click();
  }],
  ["live-off", "#/c/orders?tab=live"],
  ["live-none", "#/c/books?tab=live"],
  ["schema", "#/c/books?tab=schema"],
  ["schema-check", "#/c/typed-books?tab=schema", page => button(page, "Check the first 1,000 documents").click()],
  ["indexes", "#/c/books?tab=indexes"],
  ["indexes-new", "#/c/books?tab=indexes", page => button(page, "New index").click()],
  ["indexes-drop", "#/c/books?tab=indexes", page => page.getByLabel("Drop by-author-and-year").click()],
  ["transfer", "#/c/books?tab=transfer"],
  ["transfer-preview", "#/c/empty?tab=transfer", page => page.locator("input[type=file]").setInputFiles({ name: "books.csv", mimeType: "text/csv", buffer: Buffer.from("title,year,added\nOne,2000,2020-01-01\nTwo,2001,2020-01-02\nThree,old,2020-01-03\n") })],
  ["properties", "#/c/typed-books?tab=properties"],
  ["properties-drop", "#/c/typed-books?tab=properties", page => button(page, "Drop…").click()],
  ["access", "#/access"],
  ["access-reader", "#/access", async page => (await page.getByLabel("Rights of the account").fill("mia"), button(page, "Show").click())],
  ["access-cell", "#/access", async page => (await page.getByLabel("Rights of the account").fill("mia"), await button(page, "Show").click(), page.getByLabel("Delete /books: never. Why?").click())],
  ["access-who", "#/access", async page => (await page.getByLabel("Path to check").fill("/books"), await button(page, "Who may do this?").click(), await page.waitForTimeout(900), page.locator("main").evaluate(main => main.scrollTo(0, 1e6)))],
  ["access-accounts", "#/access?tab=accounts"],
  ["access-account", "#/access?tab=accounts", async page => (await button(page, "New account").click(), page.getByLabel("Password").fill("a few words"))],
  ["access-permissions", "#/access?tab=permissions"],
  ["access-permission", "#/access?tab=permissions", async page => (await button(page, "New permission").click(), await button(page, "Text").click(), write(page, "Predicate", "path-prefix('/books') and methd(GET)"))],
  ["access-keys", "#/access?tab=keys"],
  ["api", "#/api"],
  ["api-operation", "#/api", async page => (await page.getByLabel("Find", { exact: true }).fill("PATCH /books/*"), page.locator(".operation > button").first().click())],
  ["try", "#/try"],
  ["try-answer", "#/try", async page => (await page.getByLabel("Path", { exact: true }).fill("/books?pagesize=3"), button(page, "Send").click())],
  ["metrics", "#/metrics", page => page.waitForTimeout(6500)],
  ["settings", "#/settings"],
  ["palette", "#/c/books", async page => (await page.keyboard.press("Control+k"), page.keyboard.type("bo"))],
  ["keys", "#/", page => page.keyboard.press("?")],
  ["drawer", "#/c/books", page => page.locator(".drawer-toggle").click()],
  ["tree", "#/c/books", page => page.getByLabel("Collections and pages", { exact: true }).first().click().catch(() => {}), { narrow: true }],
  ["theme-menu", "#/", page => page.locator(".top .menu button").first().click()],
  ["home-reader", "#/", null, { account: reader }],
  ["documents-reader", "#/c/books", null, { account: reader }],
  ["document-reader", '#/c/books?doc="b1000"', null, { account: reader }],
  ["refused", "#/c/orders", null, { account: reader }],
  ["refused-why", "#/c/orders", page => button(page, "Why?").click(), { account: reader }],
  ["metrics-refused", "#/metrics", null, { account: reader }],
  ["access-refused", "#/access?tab=keys", null, { account: reader }],
  ["home-nobody", "#/", null, { account: nobody }],
];

await prepare();
const browser = await launch();
const only = (process.env.ONLY || "").split(",").filter(Boolean);
const chosen = SHOTS.filter(([name]) => !only.length || only.some(one => name.startsWith(one)));
const faults = [];

async function shoot(page, folder, [name, place, act]) {
  try {
    await page.context().setOffline(false);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.evaluate(() => sessionStorage.clear());
    await page.goto("about:blank").catch(() => {});
    await page.goto(`${base}/_console/${place}`);
    await page.waitForSelector(".frame");
    await page.waitForTimeout(500);
    await page.waitForFunction(() => !document.querySelector("main [aria-busy=true]"), undefined, { timeout: 4000 }).catch(() => {});
    await act?.(page);
    await page.waitForTimeout(500);
  } catch (failure) {
    faults.push(`${folder}/${name}: ${String(failure.message).split("\n")[0]}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
  if (wide) faults.push(`${folder}/${name}: wider than the window`);
  await page.screenshot({ path: `${process.env.OUT}/${folder}/${name}.png` });
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    const folder = `${colorScheme}-${width}`;
    if (process.env.VARIANT && !folder.includes(process.env.VARIANT)) continue;
    for (const account of [undefined, reader, nobody]) {
      const mine = chosen.filter(([, , , options]) => options?.account === account && (!options?.narrow || width < 900));
      if (!mine.length) continue;
      const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, hasTouch: width < 900 });
      const page = await context.newPage();
      page.setDefaultTimeout(8000);
      page.on("dialog", dialog => dialog.accept().catch(() => {}));
      await page.goto(`${base}/_console/`);
      if (!account && (!only.length || only.includes("sign-in"))) {
        await page.screenshot({ path: `${process.env.OUT}/${folder}/sign-in.png` });
        await page.fill("input[name=username]", "admin");
        await page.fill("input[name=password]", "wrong");
        await page.click("button[type=submit]");
        await page.waitForTimeout(600);
        await page.screenshot({ path: `${process.env.OUT}/${folder}/sign-in-wrong.png` });
      }
      await page.locator("input[name=stay]").check();
      await signIn(page, account);
      for (const shot of mine) await shoot(page, folder, shot);
      await context.close();
    }
  }
}
await browser.close();
for (const fault of faults) console.error(fault);
