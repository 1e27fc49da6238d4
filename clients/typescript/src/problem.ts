/** An error response: RFC 9457 problem details with the gateway's error code. */
export class Problem extends Error {
  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** Such as `PRECONDITION_FAILED`; `UNKNOWN` if the response was not the gateway's. */
    readonly code: string,
    detail: string,
    /** The current ETag, where the response has one. */
    readonly etag: string | null = null,
    /** Seconds to wait, where the response says so. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
    this.name = "Problem";
  }

  static async of(response: Response): Promise<Problem> {
    const text = await response.text().catch(() => "");
    let body: { detail?: string; message?: string; code?: string } = {};
    try {
      body = JSON.parse(text) ?? {};
    } catch {
      // not JSON: a proxy's page, or nothing
    }
    const wait = Number(response.headers.get("Retry-After") ?? NaN);
    return new Problem(
      response.status,
      body.code ?? "UNKNOWN",
      body.detail ?? body.message ?? `${response.status} ${response.statusText}`,
      response.headers.get("ETag"),
      Number.isFinite(wait) ? wait : null,
    );
  }

  /** The document has changed since it was read. */
  get isStale(): boolean {
    return this.status === 412;
  }

  /** The same request may succeed later. */
  get isTemporary(): boolean {
    return this.status === 503 || this.status === 429 || this.status === 502 || this.status === 504;
  }
}
