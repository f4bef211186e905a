/** A response. The body is parsed if it is JSON. */
export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface GraphqlAnswer<Data> {
  data?: Data | null;
  errors?: { message: string; path?: (string | number)[]; extensions: { code: string; [key: string]: unknown } }[];
}

export interface RequestOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Whether responses are checked against the OpenAPI document, which takes time. */
function isRestTest(): boolean {
  const { expect } = globalThis as { expect?: { getState(): { testPath?: string } } };
  return expect?.getState().testPath?.includes('/test/rest/') === true;
}

/** Sends requests as one caller and keeps the session cookie. */
export class Client {
  readonly #origin: string;
  cookie: string | undefined;

  constructor(origin: string, cookie?: string) {
    this.#origin = origin;
    this.cookie = cookie;
  }

  /** @throws if there is no session */
  get sessionId(): string {
    const [, id] = /^sid=s:([^.]+)\./.exec(decodeURIComponent(this.cookie ?? '')) ?? [];
    if (id === undefined) throw new Error('the client has no session');
    return id;
  }

  get = <Body = unknown>(path: string, options?: RequestOptions) => this.send<Body>('GET', path, undefined, options);
  post = <Body = unknown>(path: string, body?: unknown, options?: RequestOptions) =>
    this.send<Body>('POST', path, body, options);
  put = <Body = unknown>(path: string, body?: unknown, options?: RequestOptions) =>
    this.send<Body>('PUT', path, body, options);
  patch = <Body = unknown>(path: string, body?: unknown, options?: RequestOptions) =>
    this.send<Body>('PATCH', path, body, options);
  delete = <Body = unknown>(path: string, body?: unknown, options?: RequestOptions) =>
    this.send<Body>('DELETE', path, body, options);

  /** Strings and bytes are sent as they are, a form as multipart, all other bodies as JSON. */
  async send<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    { headers = {}, signal }: RequestOptions = {},
  ): Promise<Answer<Body>> {
    const raw =
      body === undefined || typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const response = await fetch(`${this.#origin}${path}`, {
      method,
      redirect: 'manual',
      ...(signal && { signal }),
      headers: {
        ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
        ...(this.cookie !== undefined && { Cookie: this.cookie }),
        ...headers,
      },
      ...(body !== undefined && { body: raw ? (body as BodyInit) : JSON.stringify(body) }),
    });
    this.#keepCookie(response.headers);
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      body: (isJson && text !== '' ? JSON.parse(text) : text) as Body,
    };
    if (isRestTest()) (await import('./openapi.ts')).checkAnswer(method, path, answer);
    return answer;
  }

  async graphql<Data = unknown>(query: string, variables?: Record<string, unknown>): Promise<GraphqlAnswer<Data>> {
    const { body } = await this.post<GraphqlAnswer<Data>>(
      '/graphql',
      { query, variables },
      { headers: { 'x-graphql-yoga-csrf': '1' } },
    );
    return body;
  }

  /** Runs an operation that must succeed. */
  async data<Data>(query: string, variables?: Record<string, unknown>): Promise<Data> {
    const { data, errors } = await this.graphql<Data>(query, variables);
    if (errors || !data) throw new Error(`the operation failed: ${JSON.stringify(errors)}`);
    return data;
  }

  #keepCookie(headers: Headers) {
    for (const cookie of headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      if (!pair.startsWith('sid=')) continue;
      this.cookie = pair === 'sid=' ? undefined : pair;
    }
  }
}
