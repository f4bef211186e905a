import ipaddr from 'ipaddr.js';

/** Hextets of an IPv6 address that name its network: a host has all addresses of a /64, mostly (RFC 4291, 2.5.4). */
const networkHextets = 4;

/**
 * What limits count a client by: its IPv4 address, or the /64 network of its IPv6 address, as one host has 2^64 of those.
 * @param address as the socket or, behind a trusted proxy, `X-Forwarded-For` says it; undefined: the socket is gone
 */
export function clientAddressFrom(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  // An IPv4 address that came over an IPv6 socket (::ffff:192.0.2.1) is the IPv4 address.
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, networkHextets).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
