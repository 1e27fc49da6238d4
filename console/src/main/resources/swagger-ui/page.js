// Swagger UI for the OpenAPI document of this gateway and no other. A gateway behind a proxy may have a prefix before
// its paths. The password stays in this page's memory, and every request says that browsers' own dialog is not wanted:
// credentials that a browser keeps would be sent by pages of other sites too.
import { prefixOf } from './paths.js';

(() => {
  const root = document.documentElement;
  const { own, described } = root.dataset;
  const prefix = prefixOf(own);
  const form = document.getElementById('sign-in');
  const other = document.getElementById('other');
  const main = document.querySelector('main');
  const failure = document.getElementById('failure');
  const UNASKED = 'No-Auth-Challenge';

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => root.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', paint);
  paint();

  // Swagger UI would send the examples of parameters that nobody has asked for.
  const describeExamples = (value) => {
    if (!value || typeof value !== 'object') {
      return;
    }
    if (value.in === 'query' && !value.required && typeof value.example === 'string') {
      value.description = `${value.description}; such as \`${value.example}\``;
      delete value.example;
    }
    Object.values(value).forEach(describeExamples);
  };

  const show = (spec, account) => {
    describeExamples(spec.paths);
    describeExamples(spec.components.parameters);
    delete spec.jsonSchemaDialect; // Swagger UI warns of any but its own, which differs in annotations only
    form.hidden = true;
    other.textContent = account ? 'Change account' : 'Sign in';
    other.hidden = false;
    main.replaceChildren(document.createElement('div'));
    document.title = `${spec.info.title} · API`;
    const ui = SwaggerUIBundle({
      spec,
      domNode: main.firstChild,
      presets: [SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      queryConfigEnabled: false,
      validatorUrl: null,
      persistAuthorization: false,
      requestSnippetsEnabled: true,
      docExpansion: 'none',
      defaultModelsExpandDepth: 0,
      filter: true,
      requestInterceptor: (request) => {
        request.headers[UNASKED] = 'true';
        return request;
      },
      onComplete: () => {
        if (account && spec.components.securitySchemes.basic) {
          ui.preauthorizeBasic('basic', account.name, account.password);
        }
      },
    });
  };

  const encoded = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

  const open = async (account) => {
    const headers = { [UNASKED]: 'true' };
    if (account) {
      headers.Authorization = `Basic ${encoded(`${account.name}:${account.password}`)}`;
    }
    let response;
    try {
      response = await fetch(prefix + described, { headers });
    } catch {
      failure.textContent = 'The gateway cannot be reached.';
      form.hidden = false;
      return;
    }
    if (response.ok) {
      show(await response.json(), account);
      return;
    }
    form.hidden = false;
    if (response.status !== 401) {
      failure.textContent = `The gateway answered ${response.status}.`;
    } else if (account) {
      failure.textContent = 'Account and password do not match.';
    }
    form.elements.username.focus();
  };

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    failure.textContent = '';
    open({ name: form.elements.username.value, password: form.elements.password.value });
  });
  other.addEventListener('click', () => {
    other.hidden = true;
    form.hidden = false;
    main.replaceChildren();
  });
  open();
})();
