// GraphiQL for the app that the parameter `app` names. A gateway behind a proxy may have a prefix before its paths.
import { below, prefixOf } from './paths.js';

(() => {
  const { own, graphql } = document.documentElement.dataset;
  const app = new URLSearchParams(location.search).get('app');
  const element = (id) => document.getElementById(id);
  const prefix = prefixOf(own);
  element('home').href = `${prefix}/`;
  let target;
  try {
    target = app && prefix + below(graphql, app.split('/'));
  } catch (e) {
    element('failure').textContent = e.message;
  }
  if (!target) {
    element('choice').hidden = false;
    return;
  }
  document.title = `${app} · GraphiQL`;
  document.querySelector('h1').textContent = app;
  element('other').href = `${prefix}${own}/`;
  element('other').hidden = false;

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

  // What is written for one app is not shown for another.
  const mine = (key) => `${app} ${key}`;
  const storage = {
    getItem: (key) => localStorage.getItem(mine(key)),
    setItem: (key, value) => localStorage.setItem(mine(key), value),
    removeItem: (key) => localStorage.removeItem(mine(key)),
    clear: () => Object.keys(localStorage).filter((key) => key.startsWith(mine(''))).forEach((key) => localStorage.removeItem(key)),
    get length() { return localStorage.length; },
  };

  const leaf = (type) => (type.ofType ? leaf(type.ofType) : type);
  const isFree = (field) => field.args.every((argument) => argument.type.kind !== 'NON_NULL' || argument.defaultValue !== null);
  const isScalar = (field) => ['SCALAR', 'ENUM'].includes(leaf(field.type).kind);

  // A first operation that this app answers: a field of Query that needs no arguments, with some of its scalars.
  const example = ({ queryType, types }) => {
    const fieldsOf = (name) => types.find((type) => type.name === name).fields || [];
    const field = fieldsOf(queryType.name).find(isFree);
    if (!field) {
      return '';
    }
    const within = fieldsOf(leaf(field.type).name)
      .filter((each) => isFree(each) && isScalar(each)).slice(0, 5).map((each) => `    ${each.name}\n`);
    if (isScalar(field)) {
      return `{\n  ${field.name}\n}\n`;
    }
    return `{\n  ${field.name} {\n${within.join('') || '    __typename\n'}  }\n}\n`;
  };

  const firstOperation = async () => {
    try {
      const type = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
      const fields = `fields { name args { defaultValue type { kind } } type { ${type} } }`;
      const answer = await post({ query: `{ __schema { queryType { name } types { name ${fields} } } }` }, {}, 'application/json');
      return example((await answer.json()).data.__schema);
    } catch {
      return ''; // refused, or without introspection: GraphiQL says so
    }
  };

  const show = async () => {
    const known = storage.getItem('graphiql:tabState');
    const defaultQuery = `# Ctrl-Enter runs,\n# Ctrl-Space completes.\n${known ? '' : await firstOperation()}`;
    ReactDOM.createRoot(element('graphiql')).render(React.createElement(GraphiQL, { fetcher, storage, defaultQuery }));
  };
  show();
})();
