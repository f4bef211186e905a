import { TaskgateError } from './errors.ts';
import { retry } from './retry.ts';

/** Of any request. */
export interface RequestOptions {
  /** Gives the request up, and what waits to be tried again. */
  readonly signal?: AbortSignal;
  /**
   * 1 to 255 characters of printable ASCII: makes a write happen once however often it is sent, so that it is tried again like
   * a read (docs/idempotency.md). A new one, such as a UUID, for each thing that is to happen.
   */
  readonly idempotencyKey?: string;
  /**
   * Id of the account that the request is for; the client's own, unless given. If the session belongs to another one, the service does
   * nothing, and answers `UNAUTHENTICATED`.
   */
  readonly account?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Tries, where it may be tried again; the client's own number where nothing is said. */
  readonly maxAttempts?: number;
}

/** A request before it is sent. */
export interface HttpRequest extends Omit<RequestOptions, 'account'> {
  readonly method: string;
  /** With the query string, from the service's origin on. */
  readonly path: string;
  /** Sent as JSON; a form as multipart. */
  readonly body?: unknown;
  /** Whether it changes nothing, so that it can be tried again without a key. */
  readonly isSafe: boolean;
}

/** Where requests go, and by what. */
export interface HttpOptions {
  /** Origin of the service. */
  readonly url: string;
  readonly fetch: typeof fetch;
  /** The header of that name, where it is no cookie that says whose requests they are. */
  readonly authorization: string | undefined;
  /** Tries of a request that may be tried again. */
  readonly maxAttempts: number;
  /** Milliseconds after which a try without an answer has failed. */
  readonly timeoutMs: number;
}

/** An answer of status 200 to 299, read whole. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** What the JSON says; undefined where the body is none. */
  readonly body: unknown;
}

/** Sends requests, and sends them again where that is safe. */
export class Http {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, and reads the answer. What is safe, or has an idempotency key, is retried after no answer, or if the service allows
   * it; not if `Retry-After` is more than half a minute.
   * @throws {@link TaskgateError}; the reason of the signal
   */
  send(request: HttpRequest): Promise<HttpResponse> {
    const attempt = async () => {
      const response = await this.#fetch(request, AbortSignal.timeout(this.#options.timeoutMs));
      const body = await readBody(response, request.signal);
      if (!response.ok) throw errorOf(response, body);
      return { status: response.status, headers: response.headers, body };
    };
    const mayRepeat = request.isSafe || request.idempotencyKey !== undefined;
    const { maxAttempts = this.#options.maxAttempts } = request;
    return retry(attempt, mayRepeat ? maxAttempts : 1, request.signal);
  }

  /**
   * Opens a stream of events; it is tried once, and has no timeout once it has begun. A refusal may be an event as
   * well, by what is asked.
   * @throws {@link TaskgateError}; the reason of the signal
   */
  async open(request: HttpRequest): Promise<Response> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#options.timeoutMs);
    const response = await this.#fetch(request, late.signal).finally(() => clearTimeout(timer));
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
    if (!isStream) throw errorOf(response, await readBody(response, request.signal));
    return response;
  }

  /** @param late aborts where the service has not answered in time */
  async #fetch({ method, path, body, headers, idempotencyKey, signal }: HttpRequest, late: AbortSignal) {
    const isForm = typeof FormData !== 'undefined' && body instanceof FormData;
    // The global function wants no other `this`.
    const { authorization, fetch, url } = this.#options;
    try {
      return await fetch(`${url}${path}`, {
        method,
        credentials: 'include',
        signal: AbortSignal.any(signal ? [signal, late] : [late]),
        headers: {
          ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
          // What has no JSON content type is refused by GraphQL without this header: a form of another site could send it.
          'X-GraphQL-Yoga-CSRF': '1',
          ...(authorization !== undefined && { Authorization: authorization }),
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      });
    } catch (error) {
      throw connectionError(error, signal);
    }
  }
}

/** What broke a connection, as the package's own error; the reason of the signal where that did. */
export function connectionError(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  return new TaskgateError({ code: 'NETWORK_ERROR', message: 'The service has not answered' }, error);
}

async function readBody(response: Response, signal?: AbortSignal): Promise<unknown> {
  let text;
  try {
    text = await response.text();
  } catch (error) {
    throw connectionError(error, signal);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The error of a response: REST's own body, or the first of GraphQL's errors. What is of another form is no response of the service's. */
function errorOf({ status, headers }: Response, body: unknown): TaskgateError {
  const fields = fieldsOf(body);
  const { message, extensions } = fieldsOf(Array.isArray(fields['errors']) ? fields['errors'][0] : undefined);
  const details = extensions === undefined ? fields : { ...fieldsOf(extensions), message };
  const { code, message: text = `The answer has the status ${status}`, errors } = details;
  const retryAfter = Number(headers.get('Retry-After') ?? Number.NaN);
  return new TaskgateError({
    ...(Number.isFinite(retryAfter) && { retryAfter }),
    requestId: headers.get('X-Request-Id') ?? undefined,
    ...details,
    code: typeof code === 'string' ? code : 'UNEXPECTED_RESPONSE',
    message: String(text),
    errors: Array.isArray(errors) ? errors : [],
    status,
  });
}
