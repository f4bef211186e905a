/**
 * Returns the address and its networks, narrow to wide. A site has an IPv6 /56 or /48, and each /64 in it counts as a
 * client.
 */
export function networksOf(clientAddress: string): readonly [client: string, ...networks: string[]] {
  const [first, second, third, fourth] = clientAddress.split(':');
  if (fourth === undefined) return [clientAddress];
  const site = `${first}:${second}:${third}`;
  const subnet = (parseInt(fourth, 16) & 0xff00).toString(16);
  return [clientAddress, `${site}:${subnet}::/56`, `${site}::/48`];
}
