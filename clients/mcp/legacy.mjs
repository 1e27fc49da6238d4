// The official client of the revisions that begin with a handshake.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { requestInit, steps, url } from "./steps.mjs";

const client = new Client({ name: "legacy", version: "1" }, { capabilities: {} });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
await steps(client, { elicits: false });
await client.ping();
await client.close();
console.log("@modelcontextprotocol/sdk: ok");
