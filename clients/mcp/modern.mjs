// The official client of the modern revision.
import assert from "node:assert/strict";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { requestInit, steps, url } from "./steps.mjs";

for (const mode of [{ pin: "2026-07-28" }, "auto", "legacy"]) {
  const modern = mode !== "legacy";
  const client = new Client(
    { name: "modern", version: "1" },
    { capabilities: modern ? { elicitation: {} } : {}, versionNegotiation: { mode } },
  );
  let asked = 0;
  if (modern) {
    client.setRequestHandler("elicitation/create", async (request) => {
      asked++;
      assert.match(request.params.message, /^Delete 15 documents/);
      return { action: "accept", content: {} };
    });
  }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  await steps(client, { elicits: modern });
  assert.equal(asked, modern ? 1 : 0);
  await client.close();
  console.log(`@modelcontextprotocol/client, ${JSON.stringify(mode)}: ok`);
}
