import { last, pause, type RestHeart } from "./client.js";
import { Problem } from "./problem.js";

/** A document as it was read. */
export type Stored<T> = T & { _id: string; _etag: string };

export interface Query {
  filter?: object;
  /** Such as `"-year"`, or an object. */
  sort?: string | object;
  keys?: object;
  page?: number;
  pagesize?: number;
}

/** A page of documents. */
export interface Found<T> {
  documents: Stored<T>[];
  /** How many match in all, if `count` was asked for. */
  total: number | null;
  /** The next page; null after the last. */
  next: (() => Promise<Found<T>>) | null;
}

/** A change event. `fullDocument` is absent for deletions. */
export interface Change<T> {
  operationType: string;
  fullDocument?: Stored<T>;
  documentKey: { _id: string };
  updateDescription?: { updatedFields: Record<string, unknown>; removedFields: string[] };
}

export interface LiveList {
  /** Ends the list. */
  close(): void;
  /** Settles when the list has ended; rejected if it cannot go on. */
  done: Promise<void>;
}

interface Position {
  id: string | null;
  connected?: () => Promise<void>;
}

/** The documents at one path. */
export class Collection<T extends object> {
  constructor(
    private readonly client: RestHeart,
    private readonly path: string,
    private readonly fixed: Record<string, string> = {},
  ) {}

  /** The document, or null if there is none that the account may read. */
  async get(id: string): Promise<Stored<T> | null> {
    try {
      return await this.client.json<Stored<T>>(await this.send("GET", this.at(id)));
    } catch (failure) {
      if (failure instanceof Problem && failure.status === 404) return null;
      throw failure;
    }
  }

  /** One page. */
  async find(query: Query & { count?: boolean } = {}): Promise<Found<T>> {
    const { count, page = 1, pagesize = 100, ...rest } = query;
    const sent = { ...rest, pagesize, page: page > 1 ? page : undefined, count: count ? "" : undefined };
    return this.page(await this.send("GET", this.path, { query: sent }), async () => this.find({ ...query, page: page + 1 }), pagesize);
  }

  /** All documents that match, page by page. */
  async *all(query: Query = {}): AsyncGenerator<Stored<T>> {
    let found: Found<T> | null = await this.find(query);
    while (found) {
      yield* found.documents;
      found = found.next ? await found.next() : null;
    }
  }

  async count(filter?: object): Promise<number> {
    const response = await this.send("GET", this.path + "/_size", { query: { filter } });
    return (await this.client.json<{ _size: number }>(response))._size;
  }

  /** Results of the aggregation that is stored under this name. */
  async aggregate<R>(name: string, variables?: object): Promise<R[]> {
    const query = { avars: variables };
    return this.client.json<R[]>(await this.send("GET", `${this.path}/_aggrs/${encodeURIComponent(name)}`, { query }));
  }

  /** Inserts a document, and returns its id. Repeated safely when the network fails. */
  async insert(document: T): Promise<string> {
    const headers = "_id" in document || this.fixed.sid ? undefined : { "Idempotency-Key": crypto.randomUUID() };
    const act = () => this.send("POST", this.path, { body: document, ...(headers ? { headers } : {}) });
    return last(await (headers && this.client.account ? this.client.persist(act) : this.send("POST", this.path, { body: document })));
  }

  /** Replaces a document that was read; a `Problem` with `isStale` if it has changed since. Returns the new ETag. */
  async replace(document: Stored<T>): Promise<string> {
    const { _id, _etag, ...body } = document;
    return tag(await this.send("PUT", this.at(_id), { body, headers: { "If-Match": _etag } }));
  }

  /** Sets fields, or applies update operators, whatever the version unless `etag` is given. Returns the new ETag. */
  async patch(id: string, changes: object, etag?: string): Promise<string> {
    return tag(await this.send("PATCH", this.at(id), { body: changes, ...ifMatch(etag) }));
  }

  /** Reads, changes and replaces a document, again if somebody else was faster. Null if there is none. */
  async change(id: string, change: (document: Stored<T>) => Stored<T> | void, attempts = 10): Promise<Stored<T> | null> {
    for (let attempt = 1; ; attempt++) {
      const read = await this.get(id);
      if (!read) return null;
      const changed = change(read) ?? read;
      try {
        return { ...changed, _etag: await this.replace(changed) };
      } catch (failure) {
        if (!(failure instanceof Problem && failure.isStale) || attempt >= attempts) throw failure;
      }
    }
  }

  async remove(id: string, etag?: string): Promise<void> {
    await this.send("DELETE", this.at(id), ifMatch(etag));
  }

  /**
   * The changes of a stream, each once, as long as they are wanted. A lost connection is opened again where it ended. Throws
   * a `Problem` with the status 410 if MongoDB no longer knows what happened since.
   */
  changes(stream: string, options: { variables?: object; signal?: AbortSignal } = {}): AsyncGenerator<Change<T>> {
    return this.listen(stream, options.variables, options.signal, { id: null });
  }

  /**
   * Keeps a list up to date: `show` gets all documents at first and after each change, in the order of `compare`. The list
   * has what the query finds at first, and then what the stream tells: give both the same conditions.
   */
  live(
    stream: string,
    show: (documents: Stored<T>[]) => void,
    options: { query?: Query; variables?: object; compare?: (a: Stored<T>, b: Stored<T>) => number } = {},
  ): LiveList {
    const controller = new AbortController();
    const documents = new Map<string, Stored<T>>();
    const update = () => show(options.compare ? [...documents.values()].sort(options.compare) : [...documents.values()]);
    const run = async () => {
      while (!controller.signal.aborted) {
        let loaded = false;
        const load = async () => {
          if (loaded) return;
          documents.clear();
          for await (const document of this.all(options.query)) documents.set(document._id, document);
          loaded = true;
          update();
        };
        try {
          // the stream is open before the list is read: no change is missed
          for await (const change of this.listen(stream, options.variables, controller.signal, { id: null, connected: load })) {
            if (change.fullDocument) documents.set(change.documentKey._id, change.fullDocument);
            else if (change.operationType === "delete") documents.delete(change.documentKey._id);
            update();
          }
        } catch (failure) {
          if (!(failure instanceof Problem && failure.status === 410)) throw failure;
        }
      }
    };
    return { close: () => controller.abort(), done: run().finally(() => controller.abort()) };
  }

  private async *listen(
    stream: string,
    variables: object | undefined,
    signal: AbortSignal | undefined,
    position: Position,
  ): AsyncGenerator<Change<T>> {
    const path = `${this.path}/_streams/${encodeURIComponent(stream)}`;
    let failures = 0;
    while (!signal?.aborted) {
      try {
        const response = await this.send("GET", path, {
          query: { avars: variables, resumeAfter: position.id === null ? "" : undefined },
          headers: { Accept: "text/event-stream", ...(position.id === null ? {} : { "Last-Event-ID": position.id }) },
          ...(signal ? { signal } : {}),
        });
        await position.connected?.();
        for await (const event of events(response)) {
          failures = 0;
          position.id = event.id ?? position.id;
          if (event.data) yield this.client.read(event.data) as Change<T>;
        }
      } catch (failure) {
        if (signal?.aborted) return;
        if (failure instanceof Problem && !failure.isTemporary) throw failure;
      }
      await pause(Math.min(10_000, 200 * 2 ** failures++), signal);
    }
  }

  /** A page continues by the response's link, and where the order is that of no index, by number. */
  private async page(response: Response, following: () => Promise<Found<T>>, size: number): Promise<Found<T>> {
    const total = response.headers.get("X-Total-Count");
    const link = /<\?([^>]*)>; *rel="next"/.exec(response.headers.get("Link") ?? "");
    const documents = (await this.client.json<Stored<T>[] | null>(response)) ?? [];
    const linked = async () => this.page(await this.client.send("GET", this.path + "?" + link![1]!), following, Infinity);
    const next = link ? linked : documents.length === size && size > 0 ? following : null;
    return { documents, total: total === null ? null : Number(total), next };
  }

  private send(method: string, path: string, sent: Parameters<RestHeart["send"]>[2] = {}): Promise<Response> {
    return this.client.send(method, path, { ...sent, query: { ...sent.query, ...this.fixed } });
  }

  private at(id: string): string {
    return this.path + "/" + encodeURIComponent(id);
  }
}

function ifMatch(etag: string | undefined): { headers?: Record<string, string> } {
  return etag ? { headers: { "If-Match": etag } } : {};
}

function tag(response: Response): string {
  return response.headers.get("ETag") ?? "";
}

/** Server-sent events of a response. */
async function* events(response: Response): AsyncGenerator<{ id: string | null; data: string }> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let waiting = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (waiting + decoder.decode(value, { stream: true })).split("\n\n");
      waiting = blocks.pop()!;
      for (const block of blocks) {
        const fields = (name: string) =>
          block.split("\n").filter(line => line.startsWith(name + ":")).map(line => line.slice(name.length + 1).trimStart());
        yield { id: fields("id")[0] ?? null, data: fields("data").join("\n") };
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
