import { json, type Request, type RequestHandler, text } from 'express';
import multer, { MulterError } from 'multer';
import { invalid, type ValidationError } from '@taskgate/base';
import { networksOf } from '@taskgate/limits';
import { ByteBudget, type ByteBudgetOptions, type ByteLease } from './byte-budget.ts';
import { hasBody } from './http-server.ts';
import { checkJson } from './json-limits.ts';

const kib = 1024;
const mib = 1024 * kib;

export const maxJsonBytes = mib;

/** Bodies hold memory until their responses are sent. */
export interface BodyLimits {
  /** Budget of requests with a session, by account. */
  session: ByteBudgetOptions;
  /** Budget of other requests, by client address. It is separate, so they cannot crowd out sessions. */
  anonymous: ByteBudgetOptions;
  /** A body may take `graceMs` plus its maximum size at `minBytesPerSecond`. */
  graceMs: number;
  minBytesPerSecond: number;
}

/**
 * Guarantees let small bodies pass, such as sign-ins, while other senders stall. Addresses are easier to obtain than
 * accounts and get less.
 */
const bodyLimits: BodyLimits = {
  session: { maxBytes: 64 * mib, maxBytesOfKey: 8 * mib, guaranteedBytesOfKey: 64 * kib },
  anonymous: { maxBytes: 16 * mib, maxBytesOfKey: 2 * mib, guaranteedBytesOfKey: 16 * kib },
  graceMs: 30_000,
  minBytesPerSecond: 64 * kib,
};

/** A chunk may have a single byte. */
const chunkOverheadBytes = 256;

const parse = Symbol('parse');

/** Only {@link RequestBodies} can run it. */
export interface BodyParser {
  readonly maxBytes: number;
  readonly takesFiles: boolean;
  readonly [parse]: RequestHandler;
}

const verifyJson = (_request: unknown, _response: unknown, bytes: Buffer) => checkJson(bytes);

/** Refuses compressed bodies, which could expand to any size. @param types media types; other bodies are left unread */
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
      // A charset has no effect on JSON (RFC 8259, 11), but the parser would use it.
      const { headers } = request;
      if (headers['content-type']) headers['content-type'] = headers['content-type'].replace(/;.*$/s, '');
      void read(request, response, next);
    },
  };
}

/** Leaves the text of a body in `request.body`. @param types as in {@link jsonParser} */
export function textParser(types: string[], maxBytes: number): BodyParser {
  const read: RequestHandler = text({ limit: maxBytes, inflate: false, type: types });
  return { maxBytes, takesFiles: false, [parse]: read };
}

/** Sizes are in bytes. */
interface FormLimits {
  fileSize: number;
  fields: number;
  fieldSize: number;
  fieldNestingDepth?: number;
}

/** Accepts at most one file, held in memory. @param file name of its part; absent: any */
export function formParser(limits: FormLimits, file?: string): BodyParser {
  const form = multer({
    storage: multer.memoryStorage(),
    limits: { ...limits, files: 1, parts: limits.fields + 1 },
  });
  const read = file === undefined ? form.any() : form.single(file);
  return {
    // Includes headers of the parts.
    maxBytes: Math.ceil((limits.fileSize + limits.fields * limits.fieldSize + 64 * kib) / mib) * mib,
    takesFiles: true,
    [parse]: (request, response, next) =>
      void read(request, response, (error?: unknown) => next(error && unreadableForm(error, limits, request))),
  };
}

/** Multer throws untyped errors for truncated forms. */
function unreadableForm(error: unknown, { fileSize }: FormLimits, { headers }: Request): ValidationError {
  if (headers['content-encoding']) return compressed();
  if (!(error instanceof MulterError)) return invalid('body', 'must be a complete, well-formed form');
  const messages: Partial<Record<MulterError['code'], string>> = {
    LIMIT_FILE_SIZE: `must be at most ${fileSize / mib} MiB in size`,
    LIMIT_FILE_COUNT: 'must have at most one file',
    LIMIT_UNEXPECTED_FILE: 'must not be a file',
    MISSING_FIELD_NAME: 'must name each field',
  };
  return invalid(error.field ?? 'body', messages[error.code] ?? 'cannot be read');
}

export const fileOf = ({ buffer, originalname, mimetype }: Express.Multer.File): File =>
  new File([new Uint8Array(buffer)], originalname, { type: mimetype });

export type ReceiveBody = (parser: BodyParser) => Promise<void>;

interface BodySender {
  account: string | undefined;
  clientAddress: string;
}

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

  lease({ account, clientAddress }: BodySender): ByteLease {
    return account === undefined ? this.#anonymous.lease(networksOf(clientAddress)) : this.#session.lease(account);
  }

  /**
   * Works once. The caller must refuse unauthorized senders before.
   * @throws VALIDATION_FAILED for a large or slow body; UNAVAILABLE if memory is used up; parser errors
   */
  async receive(request: Request, sender: BodySender, parser: BodyParser): Promise<void> {
    if (!hasBody(request)) return run(parser, request);
    if (request.readableEnded) return;
    if (Number(request.headers['content-length'] ?? 0) > parser.maxBytes) throw tooLarge(parser.maxBytes);
    const lease = this.lease(sender);
    releaseAtEnd(request, lease);
    await this.#readWithin(request, parser, lease);
  }

  /** Parsers enforce limits only at the end of a body. */
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
        request.unpipe().removeAllListeners('data');
        refuse(error);
      }
    };
    const ms = graceMs + (maxBytes / minBytesPerSecond) * 1000;
    const timer = setTimeout(() => refuse(invalid('body', `must arrive within ${Math.ceil(ms / 1000)} seconds`)), ms);
    // The connection keeps the process alive.
    timer.unref();
    const reading = run(parser, request);
    request.on('data', count);
    try {
      await Promise.race([reading, refused]);
    } finally {
      clearTimeout(timer);
      request.off('data', count);
      // The parser still rejects the incomplete body.
      reading.catch(() => undefined);
    }
  }
}

const run = (parser: BodyParser, request: Request) =>
  new Promise<void>((resolve, reject) => {
    const { res: response } = request;
    if (!response) return reject(new Error('the request has no response'));
    void parser[parse](request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });

/** Chunks live until the request closes, the result until the response does. */
function releaseAtEnd(request: Request, lease: ByteLease): void {
  const { socket, res: response } = request;
  let pending = 2;
  const end = () => {
    pending -= 1;
    if (pending === 0) lease.release();
  };
  const requestOver = () => {
    request.off('close', requestOver);
    socket.off('close', requestOver);
    end();
  };
  request.once('close', requestOver);
  // Node emits no `close` on an answered request.
  socket.once('close', requestOver);
  if (!response || response.closed) end();
  else response.once('close', end);
}

export const compressed = () => invalid('body', 'must not be compressed: send it without Content-Encoding');

export const tooLarge = (maxBytes: number) => invalid('body', `must be at most ${maxBytes / mib} MiB in size`);
