import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { getOrMake } from '../kernel/group.ts';
import { log } from '../kernel/logger.ts';

declare module 'express-serve-static-core' {
  interface Request {
    /** As {@link clientAddressFrom} says it, of the address that `TRUST_PROXY` has Express take for the client's. */
    clientAddress: string;
  }
}

/** Hextets of an IPv6 address that name its network: a host has all addresses of a /64, mostly (RFC 4291, 2.5.4). */
const networkHextets = 4;

/** Recent addresses, as every request needs one. */
const known = new LRUCache<string, string>({ max: 10_000 });
/** Characters of an address that is remembered: the longest one has 45. */
const maxAddressLength = 64;

/**
 * What limits count a client by: its IPv4 address, or the /64 network of its IPv6 address, as one host has 2^64 of those.
 * @param address as the socket or, behind a trusted proxy, `X-Forwarded-For` says it; undefined: the socket is gone
 */
export function clientAddressFrom(address: string | undefined): string {
  if (address === undefined || address.length > maxAddressLength) return 'unknown';
  return getOrMake(known, address, () => parse(address));
}

function parse(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  // An IPv4 address that came over an IPv6 socket (::ffff:192.0.2.1) is the IPv4 address.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, networkHextets).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * Notes whose request it is, before anything else asks. If proxies are not trusted and one seems to be there, the log
 * says so once: all that come by it are one client to what limits them.
 */
export function assignClientAddress(): RequestHandler {
  let isLogged = false;
  return (request, _response, next) => {
    request.clientAddress = clientAddressFrom(request.ip);
    if (!isLogged && request.headers['x-forwarded-for'] !== undefined && request.app.get('trust proxy') === false) {
      isLogged = true;
      log.warn(
        'requests come with X-Forwarded-For: if by a proxy, name it in TRUST_PROXY, or all its users count as one',
      );
    }
    next();
  };
}
