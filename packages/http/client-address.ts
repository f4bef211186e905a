import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { getOrMake, log } from '@taskgate/base';

declare module 'express-serve-static-core' {
  interface Request {
    /** See {@link clientAddressFrom}; `TRUST_PROXY` selects the address. */
    clientAddress: string;
  }
}

const networkHextets = 4;

/** Apps of a process share it: the function is pure. */
const parsedAddresses = new LRUCache<string, string>({ max: 10_000 });
/** Characters; the longest valid address has 45. */
const maxAddressLength = 64;

/** Returns the IPv4 address, or the /64 network of an IPv6 address: one host usually owns a /64 (RFC 4291, 2.5.4). */
export function clientAddressFrom(address: string | undefined): string {
  if (address === undefined || address.length > maxAddressLength) return 'unknown';
  // Some proxies add the port.
  return getOrMake(parsedAddresses, address, () => parse(address.replace(/^(?:\[(.+)\]|([\d.]+))(?::\d+)?$/, '$1$2')));
}

function parse(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  // ::ffff:192.0.2.1 becomes 192.0.2.1.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, networkHextets).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** Warns once about an untrusted proxy: limits count its users as one client. */
export function assignClientAddress(): RequestHandler {
  let isLogged = false;
  return (request, _response, next) => {
    request.clientAddress = clientAddressFrom(request.ip);
    if (!isLogged && request.headers['x-forwarded-for'] !== undefined && request.app.get('trust proxy') === false) {
      isLogged = true;
      log.warn(
        'requests come with X-Forwarded-For: if a proxy sets it, name the proxy in TRUST_PROXY, or its users count as one',
      );
    }
    next();
  };
}
