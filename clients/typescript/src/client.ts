import { Collection } from "./collection.js";
import { Files } from "./files.js";
import { Problem } from "./problem.js";
import { toBson } from "./values.js";

export interface Options {
  /** In place of the global `fetch`. */
  fetch?: typeof fetch;
  /** `plain` (default): dates, ObjectIds and the like as strings (`jsonMode=plain`); `extended`: Extended JSON. */
  values?: "plain" | "extended";
  /** Called after log-in, renewal and log-out, so that a page can keep the account, or show a form. */
  onAccount?: (account: Account | null) => void;
}

/** Who is logged in, and the token. */
export interface Account {
  username: string;
  roles: string[];
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
  /** How long tokens last, in milliseconds. */
  lifetime: number;
}

export interface Sent {
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A gateway, and the account that is logged in there, if any. */
export class RestHeart {
  readonly url: string;
  account: Account | null = null;
  private renewing: Promise<void> | null = null;
  private readonly fetcher: typeof fetch;

  constructor(url: string, protected readonly options: Options = {}) {
    this.url = url.replace(/\/+$/, "");
    this.fetcher = options.fetch ?? ((...request) => fetch(...request));
  }

  /** Exchanges a password for a token. A wrong one is a `Problem` with the status 401. */
  async login(username: string, password: string): Promise<Account> {
    this.setAccount(null);
    return this.token({ method: "POST", body: JSON.stringify({ username, password }), headers: { "Content-Type": "application/json" } });
  }

  /** Uses an account that was kept from before; its token may have expired. */
  restore(account: Account): void {
    this.setAccount(account);
  }

  /** Replaces the token by a new one. Happens by itself when a request finds that the token ends soon. */
  async renew(): Promise<void> {
    this.renewing ??= this.token({ method: "POST", headers: this.authorization() }, "?renew")
      .then(() => {})
      .finally(() => (this.renewing = null));
    return this.renewing;
  }

  /** Ends the token, at the gateway too. */
  async logout(): Promise<void> {
    const headers = this.authorization();
    this.setAccount(null);
    if (headers.Authorization) await this.fetcher(this.url + "/token", { method: "DELETE", headers, credentials: "omit" });
  }

  /** Documents at a path such as `/books`; `T` may be a type that was generated from OpenAPI. */
  collection<T extends object = Record<string, unknown>>(path: string): Collection<T> {
    return new Collection<T>(this, path);
  }

  /** Files at a path such as `/pictures.files`. */
  files(path: string): Files {
    return new Files(this, path);
  }

  /**
   * Runs `work` in a transaction and commits. If another transaction interferes, all of it is done again: `work` must have
   * no other effects than those through its parameter.
   */
  async transaction<R>(work: (transaction: Transaction) => Promise<R>, attempts = 8): Promise<R> {
    const sid = last(await this.send("POST", "/_sessions"));
    try {
      for (let attempt = 1; ; attempt++) {
        const txn = last(await this.send("POST", `/_sessions/${sid}/_txns`));
        const path = `/_sessions/${sid}/_txns/${txn}`;
        try {
          const result = await work(new Transaction(this, sid, txn));
          await this.persist(() => this.send("PATCH", path));
          return result;
        } catch (failure) {
          await this.send("DELETE", path).catch(() => {}); // usually the conflict has ended it
          const again = failure instanceof Problem && (failure.code === "CONFLICT" || failure.isTemporary);
          if (!again || attempt >= attempts) throw failure;
          await pause(Math.random() * 20 * 2 ** attempt);
        }
      }
    } finally {
      await this.send("DELETE", `/_sessions/${sid}`).catch(() => {});
    }
  }

  /** Sends a request and returns its response if that is a success; else throws a `Problem`. */
  async send(method: string, path: string, sent: Sent = {}): Promise<Response> {
    await this.renewIfDue();
    const body = sent.body;
    const query = this.options.values === "extended" ? sent.query : { jsonMode: "plain", ...sent.query };
    const search = queryString(query ?? {});
    const raw = body === undefined || body instanceof Blob || body instanceof FormData;
    checked(path);
    const response = await this.fetcher(this.url + path + (path.includes("?") ? search.replace("?", "&") : search), {
      method,
      credentials: "omit",
      headers: {
        Accept: "application/problem+json, application/json",
        ...(raw ? {} : { "Content-Type": "application/json" }),
        ...this.authorization(),
        ...sent.headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(toBson(body)) }),
      ...(sent.signal ? { signal: sent.signal } : {}),
    });
    if (response.ok) return response;
    const problem = await Problem.of(response);
    if (response.status === 401 && this.account) this.setAccount(null);
    throw problem;
  }

  /** The JSON of a response. */
  async json<T>(response: Response): Promise<T> {
    const text = await response.text();
    return this.read(text === "" ? null : text) as T;
  }

  /** The value of JSON; `null` if there is none. */
  read(text: string | null): unknown {
    return text === null ? null : JSON.parse(text);
  }

  /** Repeats what may be repeated while the network, or the gateway, fails. */
  async persist<R>(act: () => Promise<R>, attempts = 5): Promise<R> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await act();
      } catch (failure) {
        const again = failure instanceof Problem ? failure.isTemporary : failure instanceof TypeError;
        if (!again || attempt >= attempts) throw failure;
        await pause(failure instanceof Problem && failure.retryAfter ? failure.retryAfter * 1000 : 100 * 2 ** attempt);
      }
    }
  }

  private authorization(): Record<string, string> {
    return this.account ? { Authorization: "Bearer " + this.account.token } : {};
  }

  private async renewIfDue(): Promise<void> {
    const account = this.account;
    const left = account ? account.expiresAt - Date.now() : Infinity;
    if (account && left > 0 && left < account.lifetime / 3) {
      await this.renew().catch(failure => {
        if (!(failure instanceof Problem) || failure.status !== 401) return; // the token is good for a while
        this.setAccount(null);
        throw failure;
      });
    }
  }

  private async token(request: RequestInit, query = ""): Promise<Account> {
    const headers = { Accept: "application/problem+json, application/json", ...request.headers };
    const response = await this.fetcher(this.url + "/token" + query, { ...request, headers, credentials: "omit" });
    if (!response.ok) throw await Problem.of(response);
    const body = (await response.json()) as { access_token: string; expires_in: number; username: string; roles: string[] };
    const lifetime = body.expires_in * 1000;
    const account = { username: body.username, roles: body.roles, token: body.access_token, lifetime, expiresAt: Date.now() + lifetime };
    this.setAccount(account);
    return account;
  }

  private setAccount(account: Account | null): void {
    this.account = account;
    this.options.onAccount?.(account);
  }
}

/** The gateway within a transaction. */
export class Transaction {
  constructor(private readonly client: RestHeart, private readonly sid: string, private readonly txn: string) {}

  collection<T extends object = Record<string, unknown>>(path: string): Collection<T> {
    return new Collection<T>(this.client, path, { sid: this.sid, txn: this.txn });
  }
}

/** Browsers remove dot segments, however they are encoded: the request would concern another resource. */
export function checked(path: string): string {
  const segments = path.split(/[?#]/, 1)[0]!.split("/");
  if (segments.some(segment => /^(\.|%2e){1,2}$/i.test(segment))) throw new TypeError(`no path can name this: ${path}`);
  return path;
}

/** Parameters that are objects become JSON; those that are undefined are left out. */
export function queryString(query: Record<string, unknown>): string {
  const parts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = typeof value === "object" ? JSON.stringify(toBson(value)) : String(value);
      return name + (text === "" ? "" : "=" + encodeURIComponent(text));
    });
  return parts.length ? "?" + parts.join("&") : "";
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** The last segment of `Location`. */
export function last(response: Response): string {
  const path = (response.headers.get("Location") ?? "").split("?")[0]!;
  return decodeURIComponent(path.slice(path.lastIndexOf("/") + 1));
}
