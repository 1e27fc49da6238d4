"""The official client for Python, with either kind of revision."""

import asyncio
import os

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

DATABASE = os.environ.get("MCP_DATABASE", "restheart")
THERE = {"database": DATABASE, "collection": "mcp_clients"}


async def steps(mode):
    headers = {"Authorization": os.environ["MCP_AUTHORIZATION"]}
    async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
        transport = streamable_http_client(os.environ["MCP_URL"], http_client=http)
        async with Client(transport, mode=mode) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            assert "find" in tools and "delete-many" in tools, tools
            document = {"_id": f"py-{os.getpid()}-{mode}", "by": "python"}
            inserted = await client.call_tool("insert-many", {**THERE, "documents": [document]})
            assert not inserted.is_error, inserted
            found = await client.call_tool("find", {**THERE, "filter": {"_id": document["_id"]}})
            assert found.structured_content["returned"] == 1, found
            asked = await client.call_tool("delete-many", {**THERE, "filter": {"_id": document["_id"]}})
            token = asked.structured_content["confirmation"]
            deleted = await client.call_tool(
                "delete-many", {**THERE, "filter": {"_id": document["_id"]}, "confirmation": token}
            )
            assert deleted.structured_content["deleted"] == 1, deleted
            resources = (await client.list_resources()).resources
            text = (await client.read_resource(str(resources[0].uri))).contents[0].text
            assert "<data-" in text
            assert len((await client.list_prompts()).prompts) == 4
            print(f"PyPI mcp, {mode} ({client.protocol_version}): ok")


for each in ("2026-07-28", "auto", "legacy"):
    asyncio.run(steps(each))
