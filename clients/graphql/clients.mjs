// graphql-sse, graphql-ws and urql: a query, an error, subscriptions.
import assert from 'node:assert/strict';
import { createClient as createEvents } from 'graphql-sse';
import { createClient as createSocket } from 'graphql-ws';
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { AuthorizedSocket, CHANGED, change, changeUntil, headers, socketUrl, url } from './common.mjs';

// Takes `count` results.
async function take(iterator, id, count) {
  const results = [];
  let title = 0;
  results.push((await changeUntil(iterator.next(), id, () => `T${title += 1}`)).value);
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
  await changeUntil(iterator.next(), id);
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
assert.equal((await changeUntil(told, 15)).data.filmChanged._id, 15);
live.dispose();
console.log('urql: query with variables, error, subscription');
process.exit(0);
