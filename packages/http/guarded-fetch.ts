import dns from 'node:dns';
import { once } from 'node:events';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { PassThrough, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { isPublicAddress } from './public-address.ts';

export interface GuardOptions {
  /** Hosts, as in URLs, that may be in any network, because an operator named them. */
  allow?: readonly string[];
  /** Default: only `https:`. */
  allowHttp?: boolean;
  /** Of a body, compressed and decompressed. */
  maxBytes: number;
  /** From the call to the end of the response. */
  timeoutMs: number;
}

export interface GuardedRequest {
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

/**
 * Makes a `fetch` for addresses that users give. It connects to public addresses, follows no redirect, and reads the
 * whole response into memory.
 * @returns throws the signal's reason, or an error whose message tells nothing about networks. Its cause does, for the
 * log
 */
export function guardedFetch({ allow = [], allowHttp = false, maxBytes, timeoutMs }: GuardOptions) {
  const protocols = allowHttp ? ['https:', 'http:'] : ['https:'];
  const mayConnect = (host: string, address: string) => allow.includes(host) || isPublicAddress(address);

  /** The connection is to one of these addresses: the name is not resolved again. */
  const lookup: LookupFunction = (host, options, callback) =>
    dns.lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = found.filter(({ address }) => mayConnect(host, address));
      const [first] = addresses;
      if (!first) callback(new Error(`${host} has no public address`), []);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });

  async function send(url: URL, { headers, body, ...request }: GuardedRequest & { signal: AbortSignal }) {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Addresses are not looked up.
    if (isIP(host) && !mayConnect(url.hostname, host)) throw new Error(`${host} is not public`);
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

  async function read([response]: [IncomingMessage]): Promise<Response> {
    const coding = response.headers['content-encoding'] ?? 'identity';
    const decoder = decoders.get(coding.toLowerCase());
    if (!decoder) throw new Error(`the coding ${coding} is unknown`);
    const { statusCode: status = 0, headersDistinct } = response;
    const isBodyless = statusesWithoutBody.includes(status);
    const body = await pipeline(response, bounded, isBodyless ? new PassThrough() : decoder(), bounded, buffer);
    const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
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
