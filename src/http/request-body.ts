import { json, type Request, type RequestHandler } from 'express';
import multer, { MulterError } from 'multer';
import { ByteBudget, type ByteBudgetOptions, type ByteLease } from './byte-budget.ts';
import { invalid, type ValidationError } from '../kernel/errors.ts';
import { networksOf } from '../kernel/networks.ts';
import { hasBody } from './http-server.ts';
import { checkJson } from './json-limits.ts';

const kib = 1024;
const mib = 1024 * kib;

/** Most bytes of JSON in a body. */
export const maxJsonBytes = mib;

/** What the bodies of all requests may take of this process, from their first byte until they have been answered. */
export interface BodyLimits {
  /** Of callers with a session; a key is an account. */
  session: ByteBudgetOptions;
  /** Of all others, apart, so that they cannot keep out those with a session; a key is a client's address. */
  anonymous: ByteBudgetOptions;
  /** How long a body may take: this, in milliseconds, and the time of its largest size at the slowest rate. */
  graceMs: number;
  minBytesPerSecond: number;
}

/**
 * A small body is never refused for what others send: signing in has to be possible while they stall. What is guaranteed is
 * bounded by the connections of a process (`maxConnections` of `http-server.ts`), as each has one body at a time, and by
 * accounts and addresses, of which each has it once. Addresses are easier come by than accounts: they get less.
 */
const bodyLimits: BodyLimits = {
  session: { maxBytes: 64 * mib, maxBytesOfKey: 8 * mib, guaranteedBytesOfKey: 64 * kib },
  anonymous: { maxBytes: 16 * mib, maxBytesOfKey: 2 * mib, guaranteedBytesOfKey: 16 * kib },
  graceMs: 30_000,
  minBytesPerSecond: 64 * kib,
};

/** The overhead of a chunk of a body, which may have a single byte. */
const chunkOverheadBytes = 256;

const parse = Symbol('parse');

/** Reads bodies of one kind into `request.body` and `request.files`; nothing but {@link RequestBodies} can run it. */
export interface BodyParser {
  /** Bytes that a body may have. */
  readonly maxBytes: number;
  /** Whether it takes files: a form. */
  readonly takesFiles: boolean;
  readonly [parse]: RequestHandler;
}

const verifyJson = (_request: unknown, _response: unknown, bytes: Buffer) => checkJson(bytes);

/** Takes no compressed bodies: a few bytes could become any number. @param types media types; a body of another one is left unread */
export function jsonParser(types: string[]): BodyParser {
  const read: RequestHandler = json({
    limit: maxJsonBytes,
    inflate: false,
    strict: false,
    type: types,
    verify: verifyJson,
  });
  return {
    maxBytes: maxJsonBytes,
    takesFiles: false,
    [parse](request, response, next) {
      // A charset of JSON has no effect (RFC 8259, 11), but the parser would decode by it.
      const { headers } = request;
      if (headers['content-type']) headers['content-type'] = headers['content-type'].replace(/;.*$/s, '');
      void read(request, response, next);
    },
  };
}

/** The parts of a form with one file; sizes in bytes. */
export interface FormLimits {
  fileSize: number;
  fields: number;
  fieldSize: number;
  fieldNestingDepth?: number;
}

/** `multipart/form-data` with at most one file, which is held in memory. @param file name of its part; absent: any */
export function formParser(limits: FormLimits, file?: string): BodyParser {
  const form = multer({
    storage: multer.memoryStorage(),
    limits: { ...limits, files: 1, parts: limits.fields + 1 },
  });
  const read = file === undefined ? form.any() : form.single(file);
  return {
    // With room for the headers of parts.
    maxBytes: Math.ceil((limits.fileSize + limits.fields * limits.fieldSize + 64 * kib) / mib) * mib,
    takesFiles: true,
    [parse]: (request, response, next) =>
      void read(request, response, (error?: unknown) => next(error && unreadableForm(error, limits, request))),
  };
}

/** Why a form cannot be read. One that breaks off, or is none, gives an error that does not say whose fault it is. */
function unreadableForm(error: unknown, { fileSize }: FormLimits, { headers }: Request): ValidationError {
  if (headers['content-encoding']) return compressed();
  if (!(error instanceof MulterError)) return invalid('body', 'must be a well-formed form, complete');
  const isLarge = error.code === 'LIMIT_FILE_SIZE';
  return invalid(error.field ?? 'body', isLarge ? `must be at most ${fileSize / mib} MiB in size` : 'cannot be read');
}

/** A file of a form, as the core takes it. */
export const fileOf = ({ buffer, originalname, mimetype }: Express.Multer.File): File =>
  new File([new Uint8Array(buffer)], originalname, { type: mimetype });

export type ReceiveBody = (parser: BodyParser) => Promise<void>;

/** Whose body it is: the account of the session that the request came with, or else the client's address. */
export interface BodySender {
  account: string | undefined;
  clientAddress: string;
}

/** Reads the bodies of all requests, within limits of size, time, and the memory that they hold together. */
export class RequestBodies {
  readonly #limits: BodyLimits;
  readonly #session: ByteBudget;
  readonly #anonymous: ByteBudget;

  constructor(limits: Partial<BodyLimits> = {}) {
    this.#limits = { ...bodyLimits, ...limits };
    this.#session = new ByteBudget('session', this.#limits.session);
    this.#anonymous = new ByteBudget('anonymous', this.#limits.anonymous);
  }

  get held(): number {
    return this.#session.held + this.#anonymous.held;
  }

  /**
   * Reads a body, unless it has been read. A sender who may not send one has to be refused before.
   * @throws VALIDATION_FAILED for a body that is too large or too slow, UNAVAILABLE where too much is being sent, and
   *   what the parser throws
   */
  async receive(request: Request, { account, clientAddress }: BodySender, parser: BodyParser): Promise<void> {
    if (!hasBody(request)) return run(parser, request);
    if (request.readableEnded) return;
    if (Number(request.headers['content-length'] ?? 0) > parser.maxBytes) throw tooLarge(parser.maxBytes);
    const lease =
      account === undefined ? this.#anonymous.lease(networksOf(clientAddress)) : this.#session.lease(account);
    releaseAtEnd(request, lease);
    await this.#readWithin(request, parser, lease);
  }

  /** The parsers tell a body that is too large only when it has come whole, which may be never. */
  async #readWithin(request: Request, parser: BodyParser, lease: ByteLease): Promise<void> {
    const { graceMs, minBytesPerSecond } = this.#limits;
    const { maxBytes } = parser;
    let refuse: (error: unknown) => void = () => undefined;
    const refused = new Promise<never>((_resolve, reject) => (refuse = reject));
    let bytes = 0;
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      try {
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        lease.take(chunk.length + chunkOverheadBytes);
      } catch (error) {
        // Nothing more is held of it.
        request.unpipe().removeAllListeners('data');
        refuse(error);
      }
    };
    const ms = graceMs + (maxBytes / minBytesPerSecond) * 1000;
    const timer = setTimeout(() => refuse(invalid('body', `must arrive within ${Math.ceil(ms / 1000)} seconds`)), ms);
    // The connection keeps the process alive, not what is to end it.
    timer.unref();
    const reading = run(parser, request);
    request.on('data', count);
    try {
      await Promise.race([reading, refused]);
    } finally {
      clearTimeout(timer);
      request.off('data', count);
      // If it was refused, the parser still finds out that its body never came whole.
      reading.catch(() => undefined);
    }
  }
}

const run = (parser: BodyParser, request: Request) =>
  new Promise<void>((resolve, reject) => {
    const { res: response } = request;
    if (!response) return reject(new Error('a request without a response'));
    void parser[parse](request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });

/** A parser holds what has come until the request is over, what it made of that is held until the response is. */
function releaseAtEnd(request: Request, lease: ByteLease): void {
  const { socket, res: response } = request;
  let open = 2;
  const end = () => {
    open -= 1;
    if (open === 0) lease.release();
  };
  const requestOver = () => {
    request.off('close', requestOver);
    socket.off('close', requestOver);
    end();
  };
  request.once('close', requestOver);
  // Node does not tell a request that has been answered.
  socket.once('close', requestOver);
  if (!response || response.closed) end();
  else response.once('close', end);
}

export const compressed = () => invalid('body', 'must not be compressed: send it without Content-Encoding');

export const tooLarge = (maxBytes: number) => invalid('body', `must be at most ${maxBytes / mib} MiB in size`);
