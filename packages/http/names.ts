import dns, { type LookupAddress } from 'node:dns';

type Lookup = (host: string, signal: AbortSignal) => Promise<LookupAddress[]>;

/** The operating system may know such a name nevertheless: by a file, or with a search domain. */
const unknown = ['ENOTFOUND', 'ENODATA', 'ECONNREFUSED'];

/** One name at a time: `getaddrinfo` holds one of two threads, which connections to the database need, too. */
export function systemLookup(): Lookup {
  let last: Promise<unknown> = Promise.resolve();
  return (host, signal) => {
    const found = last.then(() => {
      signal.throwIfAborted();
      return dns.promises.lookup(host, { all: true });
    });
    last = found.catch(() => undefined);
    return found;
  };
}

/**
 * Returns the addresses of a name that users give. It asks DNS without threads, because their DNS servers may hang.
 * @param askSystem for names that DNS does not know
 */
export async function addressesOf(host: string, signal: AbortSignal, askSystem?: Lookup): Promise<LookupAddress[]> {
  const resolver = new dns.promises.Resolver({ timeout: 2000, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const withFamily = (family: number) => (found: string[]) => found.map((address) => ({ address, family }));
  const answers = await Promise.allSettled([
    resolver.resolve4(host).then(withFamily(4)),
    resolver.resolve6(host).then(withFamily(6)),
  ]);
  signal.removeEventListener('abort', cancel);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  const isUnknown = reasons.every((reason) => 'code' in reason && unknown.includes(String(reason.code)));
  if (askSystem && isUnknown) return askSystem(host, signal);
  throw new Error(`${host} has no address`, { cause: reasons[0] });
}
