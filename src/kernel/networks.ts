/** @param hostname as `URL` gives it, which writes every IPv4 address as four numbers */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);

/** Whether nobody on the way reads or changes what is sent to a URL: it is of https, or of this machine. */
export function isPrivateUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/**
 * A client's address and the networks around it, narrow to wide: a site has a /56 or a /48 of IPv6, each of whose /64 would be a
 * client otherwise. Limits hold each of them to what `group-counts.ts` says of groups. An IPv4 address has none around it.
 * @param clientAddress as of `Context.clientAddress`
 */
export function networksOf(clientAddress: string): readonly [client: string, ...networks: string[]] {
  const [first, second, third, fourth] = clientAddress.split(':');
  if (fourth === undefined) return [clientAddress];
  const site = `${first}:${second}:${third}`;
  const subnet = (parseInt(fourth, 16) & 0xff00).toString(16);
  return [clientAddress, `${site}:${subnet}::/56`, `${site}::/48`];
}
