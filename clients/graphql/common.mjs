// What the clients share: where the gateway is, who asks, and changes that are told to subscribers.
import assert from 'node:assert/strict';
import WebSocket from 'ws';

export const { GRAPHQL_URL: url, GRAPHQL_SOCKET: socketUrl } = process.env;
const { FILMS_URL: films, GRAPHQL_AUTHORIZATION: authorization } = process.env;
export const headers = { Authorization: authorization };
export const CHANGED = 'subscription Changed { filmChanged { _id title } }';

export class AuthorizedSocket extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols, { headers });
  }
}

export async function change(id, title) {
  const response = await fetch(`${films}/${id}?wm=upsert&id_type=NUMBER`, {
    method: 'PUT',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title, at: Date.now() }),
  });
  assert.ok(response.ok, `PUT: ${response.status}`);
}

// Changes a film until the first result comes: clients do not say when they are subscribed.
export async function changeUntil(first, id, title = () => 'T1') {
  for (let come = false; !come; ) {
    await change(id, title());
    come = await Promise.race([first.then(() => true), new Promise((wake) => setTimeout(wake, 300, false))]);
  }
  return first;
}
