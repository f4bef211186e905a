import { BlockList, isIP } from 'node:net';

/** Every other address of IPv6 is special (RFC 4291, 2.4): IPv4 in IPv6, NAT64, local, multicast. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** The special-purpose addresses of IANA (RFC 6890), and what else leads into a network. */
const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // services of the host in Azure
  ['169.254.0.0', 16], // with the metadata services of clouds
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  special.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['2001::', 23], // with Teredo
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4
  ['3fff::', 20],
] as const) {
  special.addSubnet(network, bits, 'ipv6');
}

/** Whether an IP address belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  // An address with a zone is of one network.
  if (address.includes('%')) return false;
  const version = isIP(address);
  if (version === 6) return globalUnicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
  return version === 4 && !special.check(address);
}

/** Addresses that an operator allows. */
export type Networks = Pick<BlockList, 'check'>;

/** Returns the IPv4 address in a mapped one (RFC 4291, 2.5.5.2) or one of NAT64 (RFC 6052), else the same address. */
export function withoutIpv6(address: string): string {
  if (isIP(address) !== 6 || address.includes('%')) return address;
  const [, high, low] =
    /^\[(?:::ffff|64:ff9b:):([\da-f]+):([\da-f]+)\]$/.exec(new URL(`http://[${address}]`).hostname) ?? [];
  if (high === undefined || low === undefined) return address;
  const [first, last] = [parseInt(high, 16), parseInt(low, 16)];
  return [first >> 8, first & 255, last >> 8, last & 255].join('.');
}
