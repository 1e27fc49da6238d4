'use strict';
// GraphiQL for the app that the parameter `app` names. A gateway behind a proxy may have a prefix before its paths.
(() => {
  const { own, graphql } = document.documentElement.dataset;
  const app = new URLSearchParams(location.search).get('app');
  const choice = document.getElementById('choice');
  if (!app) {
    choice.hidden = false;
    return;
  }
  document.title = `${app} · GraphiQL`;
  const prefix = location.pathname.slice(0, location.pathname.lastIndexOf(own));
  const target = `${prefix}${graphql}/${app.split('/').map(encodeURIComponent).join('/')}`;

  const post = (body, headers, accept) => fetch(target, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', Accept: accept },
    body: JSON.stringify(body),
  });

  // Refusals by access rules may have no content.
  const described = async (response) =>
    (await response.text()) || JSON.stringify({ errors: [{ message: `${response.status}: no permission for this app` }] });

  // Events are separated by empty lines; each has one line of data.
  async function* results(body, headers) {
    const response = await post(body, headers, 'text/event-stream');
    if (!response.ok) {
      yield JSON.parse(await described(response));
      return;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        text += part.value;
        const events = text.split('\n\n');
        text = events.pop();
        for (const event of events) {
          const lines = event.split('\n');
          const data = lines.find((line) => line.startsWith('data:'));
          if (lines.includes('event:next') && data) {
            yield JSON.parse(data.slice('data:'.length));
          }
        }
      }
    } finally {
      await reader.cancel();
    }
  }

  // What stands outside of selections and variables. The editor's own parsing lags behind its text.
  const topLevel = (query) => {
    const plain = query.replace(/"""[\s\S]*?"""|"(?:[^"\\]|\\.)*"|#.*/g, '');
    let depth = 0;
    let text = '';
    for (const character of plain) {
      depth -= '})'.includes(character) ? 1 : 0;
      text += depth ? '' : character;
      depth += '{('.includes(character) ? 1 : 0;
    }
    return text;
  };

  const isSubscription = (query, name) =>
    new RegExp(name ? `\\bsubscription\\s+${name}\\b` : '\\bsubscription\\b').test(topLevel(query));

  const fetcher = (body, options = {}) => (isSubscription(body.query, body.operationName)
    ? results(body, options.headers)
    : post(body, options.headers, 'application/json').then(described).then(JSON.parse));

  ReactDOM.createRoot(document.getElementById('graphiql')).render(React.createElement(GraphiQL, { fetcher }));
})();
