"""gql: queries with the schema fetched, an error, a subscription on a WebSocket."""

import asyncio
import os

import aiohttp
from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportQueryError
from gql.transport.websockets import WebsocketsTransport

HEADERS = {"Authorization": os.environ["GRAPHQL_AUTHORIZATION"]}


async def query():
    transport = AIOHTTPTransport(url=os.environ["GRAPHQL_URL"], headers=HEADERS)
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        result = await session.execute(
            gql("query Film($id: Int!) { film(id: $id) { title year } }"), variable_values={"id": 1}
        )
        assert result == {"film": {"title": "Stalker", "year": 1979}}, result
    async with Client(transport=AIOHTTPTransport(url=os.environ["GRAPHQL_URL"], headers=HEADERS)) as session:
        try:
            await session.execute(gql("{ nope }"))
            raise AssertionError("an unknown field was accepted")
        except TransportQueryError as error:
            assert len(error.errors) == 1, error


async def change():
    async with aiohttp.ClientSession(headers=HEADERS) as session:
        for n in range(1000):
            async with session.put(
                os.environ["FILMS_URL"] + "/21?wm=upsert&id_type=NUMBER", json={"title": f"T{n}"}
            ) as response:
                assert response.status < 300, response.status
            await asyncio.sleep(0.05)


async def subscribe():
    transport = WebsocketsTransport(
        url=os.environ["GRAPHQL_SOCKET"],
        headers=HEADERS,
        subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL],
    )
    changes = asyncio.create_task(change())
    try:
        async with Client(transport=transport) as session:
            titles = []
            async for result in session.subscribe(gql("subscription { filmChanged { _id title } }")):
                titles.append(int(result["filmChanged"]["title"][1:]))
                if len(titles) == 10:
                    break
            assert titles == list(range(titles[0], titles[0] + 10)), titles
    finally:
        changes.cancel()


asyncio.run(query())
asyncio.run(asyncio.wait_for(subscribe(), 60))
print("gql: schema, query with variables, error, subscription")
