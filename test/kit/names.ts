import { jest } from '@jest/globals';
import dns, { type LookupAddress } from 'node:dns';

const { Resolver } = dns.promises;

/**
 * Answers each name, for DNS and the operating system, until mocks are restored.
 * @returns the names so far
 */
export function answerNames(
  answer: (name: string, at: number) => readonly LookupAddress[] | Promise<readonly LookupAddress[]>,
): readonly string[] {
  const names: string[] = [];
  let found: readonly LookupAddress[] | Promise<readonly LookupAddress[]> = [];
  const ask = (name: string) => (found = answer(name, names.push(name) - 1));
  const ofFamily = async (wanted: number) =>
    (await found).flatMap(({ address, family }) => (family === wanted ? [address] : []));
  jest.spyOn(Resolver.prototype, 'resolve4').mockImplementation((name: string) => {
    void ask(name);
    return ofFamily(4);
  });
  jest.spyOn(Resolver.prototype, 'resolve6').mockImplementation(() => ofFamily(6));
  jest
    .spyOn(dns.promises, 'lookup')
    .mockImplementation((async (name: string) => ask(name)) as unknown as typeof dns.promises.lookup);
  return names;
}

/** Resolves every name to these, one after the other. The last one repeats. */
export const resolveNamesTo = (...answers: readonly (readonly LookupAddress[])[]): readonly string[] =>
  answerNames((_name, at) => answers[at] ?? answers.at(-1) ?? []);
