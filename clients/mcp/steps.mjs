// What every client does, whichever library speaks for it. Exits with 1 at the first surprise.
import assert from "node:assert/strict";

const database = process.env.MCP_DATABASE ?? "restheart";
const collection = "mcp_clients";
const there = { database, collection };

/** @param client with the methods that all libraries have */
export async function steps(client, { elicits }) {
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ["list-databases", "find", "aggregate", "delete-many"]) {
    assert(names.includes(name), `${name} is missing in ${names}`);
  }
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: { ...there, ...args } });
    assert(!result.isError, JSON.stringify(result));
    return result;
  };
  const databases = await client.callTool({ name: "list-databases", arguments: {} });
  assert(databases.structuredContent.databases >= 1); // their number: names are data
  assert(databases.content[1].text.includes(JSON.stringify(database)));
  const documents = Array.from({ length: 15 }, (_, n) => ({ _id: `${process.pid}-${Date.now()}-${n}`, n, by: process.pid }));
  await call("insert-many", { documents });
  const filter = { by: process.pid };
  const first = await call("find", { filter, projection: { n: 1 } });
  assert.equal(first.structuredContent.returned, 10);
  const second = await call("find", { filter, projection: { n: 1 }, cursor: first.structuredContent.next });
  assert.equal(second.structuredContent.returned, 5);
  assert.match(first.content[1].text, /<data-[0-9a-f]{32}>[^]*<\/data-[0-9a-f]{32}>$/);
  assert.equal((await call("count", { filter })).structuredContent.count, 15);
  await call("collection-schema");
  const wrong = await client.callTool({ name: "find", arguments: { ...there, filter: { $nope: 1 } } });
  assert(wrong.isError);
  const deleted = await call("delete-many", { filter });
  if (elicits) {
    assert.equal(deleted.structuredContent.deleted, 15);
  } else {
    const { confirmation } = deleted.structuredContent;
    assert.equal((await call("delete-many", { filter, confirmation })).structuredContent.deleted, 15);
  }
  const watched = await client.callTool({ name: 'watch', arguments: { ...there, stream: 'none' } });
  assert(watched.isError);
  const { resources } = await client.listResources();
  assert(resources.length > 0);
  const read = await client.readResource({ uri: resources[0].uri });
  assert.equal(read.contents[0].mimeType, "application/json");
  assert.match(JSON.parse(read.contents[0].text)[1], /^<data-[0-9a-f]{32}>$/);
  const { prompts } = await client.listPrompts();
  assert.equal(prompts.length, 4);
  await client.getPrompt({ name: "explore-database", arguments: { database } });
}

export const url = new URL(process.env.MCP_URL);
export const requestInit = { headers: { Authorization: process.env.MCP_AUTHORIZATION } };
