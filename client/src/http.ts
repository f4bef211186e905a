import { TaskgateError } from './errors.ts';
import { retry } from './retry.ts';

export interface RequestOptions {
  /** Aborts the request and its retries. */
  readonly signal?: AbortSignal;
  /**
   * Makes a write happen once, and retryable like a read (docs/idempotency.md): 1 to 255 characters of printable ASCII. Use a new key, such
   * as a UUID, for each intended write.
   */
  readonly idempotencyKey?: string;
  /**
   * Account of the request; the client's by default. If the session belongs to another account, the service does nothing and responds
   * `UNAUTHENTICATED`.
   */
  readonly account?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maximum number of attempts of a retryable request; the client's by default. */
  readonly maxAttempts?: number;
}

export interface HttpRequest extends Omit<RequestOptions, 'account'> {
  readonly method: string;
  readonly path: string;
  /** JSON, or a multipart form. */
  readonly body?: unknown;
  /** Whether the request is retryable without a key. */
  readonly isSafe: boolean;
}

export interface HttpOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** Absent if a cookie identifies the caller. */
  readonly authorization: string | undefined;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if the body is not JSON. */
  readonly body: unknown;
}

export class Http {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  /**
   * Retries safe requests, and requests with an idempotency key, after no response or if the service allows it, unless `Retry-After`
   * exceeds half a minute.
   * @throws {@link TaskgateError}; the reason of the signal
   */
  send(request: HttpRequest): Promise<HttpResponse> {
    const attempt = async () => {
      const response = await this.#fetch(request, AbortSignal.timeout(this.#options.timeoutMs));
      const body = await readBody(response, request.signal);
      if (!response.ok) throw errorOf(response, body);
      return { status: response.status, headers: response.headers, body };
    };
    const isRetryable = request.isSafe || request.idempotencyKey !== undefined;
    const { maxAttempts = this.#options.maxAttempts } = request;
    return retry(attempt, isRetryable ? maxAttempts : 1, request.signal);
  }

  /**
   * Opens a stream of events, without retries, and without a timeout once it has begun.
   * @throws {@link TaskgateError}; the reason of the signal
   */
  async open(request: HttpRequest): Promise<Response> {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), this.#options.timeoutMs);
    const response = await this.#fetch(request, timeout.signal).finally(() => clearTimeout(timer));
    const isStream = response.headers.get('Content-Type')?.startsWith('text/event-stream');
    if (!isStream) throw errorOf(response, await readBody(response, request.signal));
    return response;
  }

  async #fetch({ method, path, body, headers, idempotencyKey, signal }: HttpRequest, timeout: AbortSignal) {
    const isForm = typeof FormData !== 'undefined' && body instanceof FormData;
    // The global function requires its own `this`.
    const { authorization, fetch, url } = this.#options;
    try {
      return await fetch(`${url}${path}`, {
        method,
        credentials: 'include',
        signal: AbortSignal.any(signal ? [signal, timeout] : [timeout]),
        headers: {
          ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
          // GraphQL requires this header without a JSON content type, against forms of other sites.
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

export function connectionError(error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  return new TaskgateError({ code: 'NETWORK_ERROR', message: 'The service did not respond' }, error);
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

/** Reads an error of REST or GraphQL. */
function errorOf({ status, headers }: Response, body: unknown): TaskgateError {
  const fields = fieldsOf(body);
  const { message, extensions } = fieldsOf(Array.isArray(fields['errors']) ? fields['errors'][0] : undefined);
  const details = extensions === undefined ? fields : { ...fieldsOf(extensions), message };
  const { code, message: text = `The response has the status ${status}`, errors } = details;
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
