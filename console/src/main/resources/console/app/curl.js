// Requests as lines for a shell.

/** Quotes for a POSIX shell. @param {string} text */
export const quote = text => `'${text.replaceAll("'", "'\\''")}'`;

/** A curl line that does the same; credentials come from the environment.
 * @param {{method: string, url: string, headers?: Record<string, string>, body?: string|null}} request */
export function curl({ method, url, headers = {}, body = null }) {
  const parts = ["curl -sS -g"];
  if (method !== "GET" && !(method === "POST" && body !== null)) parts.push(`-X ${method}`);
  parts.push(`-u "$RH_USER"`);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^(authorization|no-auth-challenge)$/i.test(name)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  if (body !== null) parts.push(`--data-binary ${quote(body)}`);
  parts.push(quote(url));
  return parts.join(" ");
}

const javaText = (/** @type {string} */ text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/** The same in other languages. @type {Record<string, (r: {method: string, url: string, headers: Record<string, string>, body: string|null}) => string>} */
export const languages = {
  curl,
  fetch: ({ method, url, headers, body }) =>
    `const answer = await ${"fetch"}(${JSON.stringify(url)}, {\n  method: ${JSON.stringify(method)},\n  headers: ${JSON.stringify({ Authorization: "Basic …", ...headers })},${body === null ? "" : `\n  body: ${JSON.stringify(body)},`}\n});\nconsole.log(answer.status, await answer.text());`,
  Java: ({ method, url, headers, body }) =>
    [
      "import java.net.URI;",
      "import java.net.http.*;",
      "import java.util.Base64;",
      "",
      "void main() throws Exception {",
      '    var user = System.getenv("RH_USER"); // name:password',
      "    var request = HttpRequest.newBuilder(URI.create(" + javaText(encoded(url)) + "))",
      '            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(user.getBytes()))',
      ...Object.entries(headers).map(([name, value]) => `            .header(${javaText(name)}, ${javaText(value)})`),
      `            .method("${method}", ${body === null ? "HttpRequest.BodyPublishers.noBody()" : `HttpRequest.BodyPublishers.ofString(${javaText(body)})`})`,
      "            .build();",
      "    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());",
      '    IO.println(answer.statusCode() + " " + answer.body());',
      "}",
    ].join("\n"),
  Python: ({ method, url, headers, body }) =>
    [
      "import base64, os, urllib.request",
      "",
      'user = os.environ["RH_USER"]  # name:password',
      `request = urllib.request.Request(${JSON.stringify(encoded(url))}, method=${JSON.stringify(method)}${body === null ? "" : `, data=${JSON.stringify(body)}.encode()`})`,
      'request.add_header("Authorization", "Basic " + base64.b64encode(user.encode()).decode())',
      ...Object.entries(headers).map(([name, value]) => `request.add_header(${JSON.stringify(name)}, ${JSON.stringify(value)})`),
      "with urllib.request.urlopen(request) as answer:",
      "    print(answer.status, answer.read().decode())",
    ].join("\n"),
};

/** Strict clients refuse braces and quotes in URLs. @param {string} url */
export const encoded = url => url.replace(/[{}"|\\^`<> ]/g, encodeURIComponent);
