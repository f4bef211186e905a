import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { PassThrough, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { addressesOf, systemLookup } from './names.ts';
import { isPublicAddress, type Networks, withoutIpv6 } from './public-address.ts';

/** Requests that an operator has allowed besides `https:` to public addresses. */
export interface Allowed {
  /** Hosts, as in URLs, that may be in any network. */
  allow?: readonly string[];
  /** Whether `http:` is allowed to every address. */
  allowHttp?: boolean;
  /** Further addresses, also by `http:`. */
  networks?: Networks | undefined;
}

interface GuardOptions extends Allowed {
  /** Maximum size of a body, compressed and decompressed. */
  maxBytes: number;
  /** Whether a body is read up to the limit and thrown away. The response is then one without a body. */
  ignoresBody?: boolean;
  /** Time from the call to the end of the response. */
  timeoutMs: number;
}

interface GuardedRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
  /** Replaces the limit of time. */
  signal?: AbortSignal | undefined;
}

class TooLarge extends Error {}

const maxHeaderSize = 16 * 1024;
const statusesWithoutBody = [204, 205, 304];
const decoders = new Map<string, () => Transform>([
  ['identity', () => new PassThrough()],
  ['gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

function mayConnect({ hostname, protocol }: URL, address: string, { allow = [], allowHttp, networks }: Allowed) {
  const plain = withoutIpv6(address);
  if (networks?.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4')) return true;
  return (protocol === 'https:' || allowHttp === true) && (allow.includes(hostname) || isPublicAddress(plain));
}

const protocolsOf = ({ allowHttp, networks }: Allowed) => (allowHttp || networks ? ['https:', 'http:'] : ['https:']);

/** Whether a request may go to a URL, by its own text. The addresses of a name are checked at each request. */
export const mayRequest = (url: URL, allowed: Allowed): boolean =>
  protocolsOf(allowed).includes(url.protocol) && (!isIP(hostOf(url)) || mayConnect(url, hostOf(url), allowed));

/**
 * Makes a `fetch` for addresses that users give. It connects to public addresses, and not if a name also has another
 * one. It follows no redirect, and reads the whole response into memory.
 * @returns throws the signal's reason, or an error whose message tells nothing about networks. Its cause does, for the
 * log
 */
export function guardedFetch({ maxBytes, ignoresBody = false, timeoutMs, ...allowed }: GuardOptions) {
  const protocols = protocolsOf(allowed);
  const { allow = [], networks } = allowed;
  const askSystem = networks && systemLookup();

  async function addressesFor(url: URL, host: string, signal: AbortSignal): Promise<LookupAddress[]> {
    const isNamed = allow.includes(url.hostname);
    const found = await (isNamed ? dns.promises.lookup(host, { all: true }) : addressesOf(host, signal, askSystem));
    if (found.every(({ address }) => mayConnect(url, address, allowed))) return found;
    throw new Error(`${host} has an address that is not allowed`);
  }

  /** The connection is to one of these addresses: the name is not resolved again. */
  const lookupFor =
    (url: URL, signal: AbortSignal): LookupFunction =>
    (host, options, callback) =>
      void addressesFor(url, host, signal).then(
        (found) => (options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error: unknown) => callback(error as Error, []),
      );

  async function send(url: URL, { headers, body, ...request }: GuardedRequest & { signal: AbortSignal }) {
    // Addresses are not looked up.
    if (!mayRequest(url, allowed)) throw new Error(`${hostOf(url)} is not allowed`);
    const lookup = lookupFor(url, request.signal);
    const start = url.protocol === 'https:' ? requestHttps : requestHttp;
    const accepted = { 'accept-encoding': [...decoders.keys()].join(', '), ...headers };
    // A connection of its own: nobody has checked the connections of other agents.
    const outgoing = start(url, { ...request, headers: accepted, agent: false, lookup, maxHeaderSize });
    // After the response, errors reach its reader.
    outgoing.on('error', () => undefined).end(body);
    // A switch of protocols closes the connection without an error.
    return (await once(outgoing, 'response', { signal: request.signal })) as [IncomingMessage];
  }

  async function* bounded(source: AsyncIterable<Uint8Array>) {
    let length = 0;
    for await (const piece of source) {
      length += piece.length;
      if (length > maxBytes) throw new TooLarge('the response is too large');
      yield piece;
    }
  }

  /** The rest of the response says nothing. */
  async function skip(response: IncomingMessage): Promise<void> {
    let length = 0;
    for await (const piece of response as AsyncIterable<Uint8Array>) if ((length += piece.length) > maxBytes) break;
  }

  async function read([response]: [IncomingMessage]): Promise<Response> {
    const { statusCode: status = 0, headersDistinct } = response;
    const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    if (ignoresBody) {
      await skip(response).catch(() => undefined);
      return new Response(null, { status, headers });
    }
    const coding = response.headers['content-encoding'] ?? 'identity';
    const decoder = decoders.get(coding.toLowerCase());
    if (!decoder) throw new Error(`the coding ${coding} is unknown`);
    const isBodyless = statusesWithoutBody.includes(status);
    const body = await pipeline(response, bounded, isBodyless ? new PassThrough() : decoder(), bounded, buffer);
    return new Response(isBodyless ? null : body, { status, headers });
  }

  return async (
    address: string | URL,
    { signal = AbortSignal.timeout(timeoutMs), ...request }: GuardedRequest = {},
  ): Promise<Response> => {
    const url = new URL(address);
    if (!protocols.includes(url.protocol)) throw new Error(`the address must begin with ${protocols.join(' or ')}`);
    if (url.username !== '' || url.password !== '') throw new Error('the address must have no credentials');
    try {
      return await read(await send(url, { ...request, signal }));
    } catch (cause) {
      signal.throwIfAborted();
      throw cause instanceof TooLarge ? cause : new Error('the address did not respond', { cause });
    }
  };
}
