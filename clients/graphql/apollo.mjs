// Apollo Client: a query that its cache answers the second time, an error, a query by its hash, a subscription.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient } from 'graphql-ws';
import { AuthorizedSocket, CHANGED, changeUntil, headers, socketUrl, url } from './common.mjs';

let requests = 0;
const http = new HttpLink({
  uri: url,
  headers,
  fetch: (...request) => {
    requests += 1;
    return fetch(...request);
  },
});
const socket = createClient({ url: socketUrl, webSocketImpl: AuthorizedSocket, retryAttempts: 0 });
const FILM = gql`query Film($id: Int!) { film(id: $id) { _id title year } }`;

const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.split(({ operationType }) => operationType === 'subscription', new GraphQLWsLink(socket), http),
});
for (let i = 0; i < 2; i += 1) {
  const { data } = await client.query({ query: FILM, variables: { id: 2 } });
  assert.deepEqual(data.film, { __typename: 'Film', _id: 2, title: 'Solaris', year: 1972 });
}
assert.equal(requests, 1, 'the second answer is from the cache');
await assert.rejects(client.query({ query: gql`{ nope }` }), (error) => error.errors.length === 1);
const told = new Promise((next, error) => client.subscribe({ query: gql(CHANGED) }).subscribe({ next, error }));
assert.equal((await changeUntil(told, 16)).data.filmChanged._id, 16);

// The hash is not known, so the text follows it.
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const hashing = new ApolloClient({ cache: new InMemoryCache(), link: new PersistedQueryLink({ sha256 }).concat(http) });
requests = 0;
assert.equal((await hashing.query({ query: FILM, variables: { id: 1 } })).data.film.title, 'Stalker');
assert.equal(requests, 2);
await socket.dispose();
console.log('Apollo Client: query, cache, error, query by hash, subscription');
process.exit(0);
