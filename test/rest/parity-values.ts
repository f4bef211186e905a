import fc from 'fast-check';
import { randomEmail } from '../kit/random.ts';

export type Fields = Record<string, fc.Arbitrary<unknown>>;

/** A request to a row, with placeholders such as `<task 1>` for named entities (`parity-accounts.ts`). */
export interface ParityRequest {
  /** `guest` is a second session of the account, and `leaver` another account. The request may end either. */
  as: 'user' | 'nobody' | 'guest' | 'leaver';
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

export interface Inputs {
  as?: ParityRequest['as'];
  path?: Record<string, string[]>;
  query?: Fields;
  body?: Fields;
  /** A valid request, tried first. */
  example: Partial<Omit<ParityRequest, 'as'>>;
  /** Fields that refuse null over REST. Over GraphQL, null keeps the value or is the default. */
  nullKeeps?: string[];
  /** Reasons for other fields that REST restricts more than GraphQL. */
  narrower?: Record<string, string>;
}

export const oneOf = (...values: unknown[]) => fc.constantFrom(...values);
export const flag = fc.boolean();
export const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .filter((text) => !/[\0<>]/.test(text));
export const name = fc.oneof(oneOf('Home', ' Work ', 'Ärger & Co', '🦊', 'x'.repeat(255), 'x'.repeat(256), ' '), words);
export const freshName = (kind: string) => fc.nat({ max: 1e9 }).map((number) => `${kind} ${number}`);
export const colour = oneOf('blue', 'red', 'green', 'yellow', 'purple', 'orange', 'pink');

export const tasks = ['<task 1>', '<task 2>', '<task 3>', '<task 4>'];
export const strangeTasks = ['<their task>', '<no task>', '<tag 1>', 'nonsense'];
export const projects = ['<inbox>', '<project 1>', '<project 2>', '<shared project>'];
export const strangeProjects = ['<their project>', '<no project>', 'nonsense'];
export const sections = ['<section 1>', '<section 2>', '<section 3>'];
export const strangeSections = ['<their section>', '<no section>', 'nonsense'];
export const tags = ['<tag 1>', '<tag 2>'];
export const strangeTags = ['<their tag>', '<no tag>', 'nonsense'];

export const strangeWorkspaces = ['<their workspace>', '<no workspace>', 'nonsense'];

export const list = (values: readonly string[]) => fc.array(oneOf(...values), { maxLength: 4 });
export const commaSeparated = (values: readonly string[]) => list(values).map((ids) => ids.join(','));

export const common: Fields = {
  priority: oneOf('high', 'medium', 'low', null),
  dueDate: oneOf('2031-01-31', '2032-02-29', '2031-02-29', '2031-1-1', null),
  dueTime: oneOf('2031-01-31T10:00:00Z', '2031-01-31T10:00:00+02:00', '2031-01-31T10:00', 'noon', null),
  isAllDay: oneOf(true, false, null),
  reminder: flag,
  tags: list([...tags, ...tags, ...tags, ...strangeTags]),
  projectId: oneOf(...projects, ...projects, ...strangeProjects, null),
  projectSectionId: oneOf(...sections, ...strangeSections, null),
};

export const title = fc.oneof(name, oneOf('x'.repeat(500), 'x'.repeat(501)));
export const description = fc.oneof(words, oneOf('', null));
export const hex = oneOf('#abc', '#AABBCC', '#aabbccdd', '#ab', 'red', null);
export const address = fc.oneof(oneOf('<email>', ' <EMAIL> ', 'nobody', 'a@b', '<often>'), fc.nat().map(freshAddress));

/** An address for both APIs. They differ in it only because of codes and quotas. */
export function freshAddress(number: number) {
  return `<api>-${number}-${randomEmail()}`;
}

export const noIds = 'an empty list selects nothing over GraphQL and is refused over REST';
export const splitMutations = 'REST has one endpoint where GraphQL has two mutations';
export const restOmission = 'a preference that the contract does not let REST change';
