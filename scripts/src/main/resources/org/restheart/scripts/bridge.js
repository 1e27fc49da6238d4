// What a script sees, made of texts: no object of Java gets into it. Evaluated first in each context.
(function (log, command) {
  const shown = (value) => (value instanceof Error || typeof value !== "object" ? String(value) : JSON.stringify(value));
  const line = (level) => (message, ...values) =>
    log(level, shown(message).replace(/\{\}/g, (place) => (values.length ? shown(values.shift()) : place)));
  const global = (name, value) => Object.defineProperty(globalThis, name, { value });
  global("LOGGER", Object.freeze({ debug: line("debug"), info: line("info"), warn: line("warn"), error: line("error") }));
  global("mclient", Object.freeze({
    getDatabase: (db) => ({ runCommand: (what) => JSON.parse(command(String(db), JSON.stringify(what))) }),
  }));

  const text = (content) => (typeof content === "string" ? content : JSON.stringify(content));

  function request(asked, content) {
    const is = (method) => () => asked.method === method;
    const values = { content: asked.isTyped && content !== null ? JSON.parse(content) : content };
    return {
      isGet: is("GET"), isPost: is("POST"), isPut: is("PUT"), isPatch: is("PATCH"), isDelete: is("DELETE"), isOptions: is("OPTIONS"),
      isHandledBy: (name) => asked.service === name,
      getPath: () => asked.path,
      getHeader: (name) => asked.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1] ?? null,
      getQueryParameterOrDefault: (name, absent) => asked.query.find(([key]) => key === name)?.[1] ?? absent,
      getDBName: () => asked.db ?? null,
      getCollectionName: () => asked.collection ?? null,
      isDocument: () => asked.kind === "DOCUMENT",
      isCollection: () => asked.kind === "COLLECTION",
      getContent: () => values.content,
      setContent: (content) => void (values.content = content),
    };
  }

  function response(answer) {
    const same = (name) => ([key]) => key.toLowerCase() === name.toLowerCase();
    const add = (name, value) => void answer.headers.push([String(name), String(value)]);
    const put = (name, value) => {
      answer.headers = answer.headers.filter((header) => !same(name)(header));
      add(name, value);
    };
    return {
      getContent: () => answer.content,
      setContent: (content) => void (answer.content = content),
      setContentTypeAsJson: () => put("Content-Type", "application/json; charset=UTF-8"),
      setStatusCode: (status) => void (answer.status = status),
      setInError: (status, message) => void Object.assign(answer, { status, error: String(message ?? "") }),
      getHeaders: () => ({ get: (name) => answer.headers.find(same(name))?.[1] ?? null, add, put }),
    };
  }

  const now = (result, name) => {
    if (typeof result?.then === "function") throw new Error(name + " must not be async");
    return result;
  };

  const call = (script) => (asked, content) => {
    asked = JSON.parse(asked);
    const req = request(asked, content);
    const answer = { status: 200, headers: [], content: "" };
    if (script.resolve && !now(script.resolve(req), "resolve")) return "{}";
    now(script.handle(req, response(answer)), "handle");
    answer.content = text(answer.content ?? "");
    const before = asked.isTyped && content !== null ? JSON.stringify(JSON.parse(content)) : content;
    const after = content === null ? null : text(req.getContent());
    if (after !== before) Object.assign(answer, { before, after });
    return JSON.stringify(answer);
  };

  return (script, args) => {
    global("pluginArgs", JSON.parse(args));
    return call(script);
  };
})
