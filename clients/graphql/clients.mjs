// graphql-sse, graphql-ws and urql: a query, an error, subscriptions.
import assert from 'node:assert/strict';
import { createClient as createEvents } from 'graphql-sse';
import { createClient as createSocket } from 'graphql-ws';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import WebSocket from 'ws';

const { GRAPHQL_URL: url, GRAPHQL_SOCKET: socketUrl, FILMS_URL: films, GRAPHQL_AUTHORIZATION: authorization } = process.env;
const headers = { Authorization: authorization };
const CHANGED = 'subscription Changed { filmChanged { _id title } }';

class AuthorizedSocket extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols, { headers });
  }
}

async function change(id, title) {
  const response = await fetch(`${films}/${id}?wm=upsert&id_type=NUMBER`, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title, at: Date.now() }),
  });
  assert.ok(response.ok, `PUT: ${response.status}`);
}

// Takes `count` results. The film is changed until the first one comes: the client does not say when it is subscribed.
async function take(iterator, id, count) {
  const results = [];
  const first = iterator.next();
  let title = 0;
  for (let come = false; !come; ) {
    await change(id, `T${title += 1}`);
    come = await Promise.race([first.then(() => true), new Promise((wake) => setTimeout(wake, 300, false))]);
  }
  results.push((await first).value);
  while (results.length < count) {
    await change(id, `T${title += 1}`);
    results.push((await iterator.next()).value);
  }
  await iterator.return();
  const numbers = results.map((result) => Number(result.data.filmChanged.title.slice(1)));
  assert.deepEqual(numbers, numbers.map((_, i) => numbers[0] + i), 'in order, without gaps');
}

const events = createEvents({ url, headers, retryAttempts: 0 });
assert.deepEqual((await events.iterate({ query: '{ film(id: 1) { title } }' }).next()).value, { data: { film: { title: 'Stalker' } } });
assert.equal((await events.iterate({ query: '{ nope }' }).next()).value.errors.length, 1);
await take(events.iterate({ query: CHANGED }), 11, 5);
events.dispose();
console.log('graphql-sse: query, error, subscription');

const socket = createSocket({ url: socketUrl, webSocketImpl: AuthorizedSocket, retryAttempts: 0 });
await take(socket.iterate({ query: CHANGED }), 12, 5);
await assert.rejects(socket.iterate({ query: 'subscription { nope }' }).next());
await assert.rejects(socket.iterate({ query: '{ films { _id } }' }).next(), 'queries are no subscriptions');
await Promise.all([13, 14].map((id) => assert.doesNotReject(async () => {
  const iterator = socket.iterate({ query: CHANGED });
  const next = iterator.next();
  for (let come = false; !come; ) {
    await change(id, 'T1');
    come = await Promise.race([next.then(() => true), new Promise((wake) => setTimeout(wake, 300, false))]);
  }
  await iterator.return();
})));
await socket.dispose();
console.log('graphql-ws: subscriptions beside each other, errors');

const live = createEvents({ url, headers, retryAttempts: 0 });
const urql = new Client({
  url,
  fetchOptions: { headers },
  preferGetMethod: false,
  exchanges: [fetchExchange, subscriptionExchange({
    forwardSubscription: (operation) => ({
      subscribe: (sink) => ({ unsubscribe: live.subscribe({ ...operation, query: operation.query ?? '' }, sink) }),
    }),
  })],
});
const answer = await urql.query('query Film($id: Int!) { film(id: $id) { title } }', { id: 2 }).toPromise();
assert.equal(answer.data.film.title, 'Solaris');
const wrong = await urql.query('{ nope }', {}).toPromise();
assert.equal(wrong.error.graphQLErrors.length, 1);
const told = new Promise((resolve) => urql.subscription(CHANGED, {}).subscribe(resolve));
for (let come = false; !come; ) {
  await change(15, 'T1');
  come = await Promise.race([told.then(() => true), new Promise((wake) => setTimeout(wake, 300, false))]);
}
assert.equal((await told).data.filmChanged._id, 15);
live.dispose();
console.log('urql: query with variables, error, subscription');
process.exit(0);
