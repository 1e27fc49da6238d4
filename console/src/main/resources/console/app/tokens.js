// Colours for the shell's spelling, token by token.

/** @param {any} stream of CodeMirror @returns {string|null} */
export function token(stream) {
  if (stream.eatSpace()) return null;
  const c = stream.next();
  if (c === '"' || c === "'") {
    let escaped = false;
    for (let next = stream.next(); next; next = stream.next()) {
      if (next === c && !escaped) return stream.match(/\s*:/, false) ? "propertyName" : "string";
      escaped = !escaped && next === "\\";
    }
    return "string";
  }
  if (c === "/" && stream.match(/^(\\.|[^/\\])+\/[a-z]*/)) return "regexp";
  if (/[-+.\d]/.test(c)) {
    stream.match(/^[\w.+-]*/);
    return "number";
  }
  if (/[A-Za-z_$]/.test(c)) {
    stream.match(/^[\w$.]*/);
    const word = stream.current();
    if (stream.match(/\s*:/, false)) return word[0] === "$" ? "keyword" : "propertyName";
    if (word === "true" || word === "false") return "bool";
    if (word === "null" || word === "undefined") return "null";
    return "typeName";
  }
  return null;
}
