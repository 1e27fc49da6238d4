// Fills a gateway with books and orders, and takes pictures of the console.
import { fill, launch, open, send } from "./common.mjs";

await fill();
const browser = await launch();
const page = (place, colorScheme) => open(browser, place, { colorScheme });
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

const permission = await page("#/access?tab=permissions", "light");
await permission.getByRole("button", { name: "New permission", exact: true }).click();
const form = permission.locator("dialog");
await form.getByLabel("Template").selectOption("Own documents only");
await form.getByLabel("Roles").fill("customer");
await form.getByLabel("Collection").fill("/orders");
await take(permission, "permission");

const live = await page("#/c/orders?tab=live", "dark");
await live.getByRole("button", { name: "Start" }).click();
await live.getByText("Listening", { exact: true }).waitFor();
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
