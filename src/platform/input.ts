import { z } from 'zod';
import {
  type InputProblem,
  invalid,
  isText,
  isTimeZone,
  maxProblems,
  notText,
  problemsOf,
  requireNone,
  ValidationError,
} from '@taskgate/base';
import type { EntityKind } from './entities.ts';
import { canBeNewId, newId, newIdRule } from './ids.ts';

export const text = () => z.string().refine(isText, { error: notText });

/** The contract's unit of length. */
export function codePoints(value: string): number {
  let count = value.length;
  for (let index = 1; index < value.length; index += 1) {
    if (isSecondHalf(value.charCodeAt(index)) && isFirstHalf(value.charCodeAt(index - 1))) count -= 1;
  }
  return count;
}

const isFirstHalf = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isSecondHalf = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

export const paragraphs = (max: number) =>
  text()
    .refine((value) => codePoints(value) <= max, { error: `must be at most ${max} characters long` })
    .meta({ maxLength: max });

/** Invisible characters that lack a Unicode property. */
const otherInvisible = String.raw`\u{16FE4}\u2800\uFFF9-\uFFFC\u{13430}-\u{13442}\u{1D159}`;
/** Character class for the flag `u`. */
export const invisible = String.raw`[${otherInvisible}\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]`;

const onlyInvisible = new RegExp(`^${invisible}*$`, 'u');

export const isVisible = (value: string) => !onlyInvisible.test(value);

/** Trimmed, visible text. `max` counts code points. */
export const line = (max: number) =>
  text()
    .trim()
    .refine((value) => value !== '' && codePoints(value) <= max, { error: `must be 1 to ${max} characters long` })
    .refine((value) => value === '' || isVisible(value), { error: 'must have a character that can be seen' })
    .meta({ minLength: 1, maxLength: max });

export const name = () => line(255);

export const timeZone = () => text().refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' });

export const wholeNumber = (min: number, max: number) =>
  z
    .number()
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .meta({ type: 'integer', minimum: min, maximum: max });

/** Limit of every list: validating more blocks the event loop. */
export const maxListEntries = 10_000;

/** Ids in a request besides its targets: tags of a task or filter, objects to read. */
export const maxReferencedIds = 1_000;

export const newEntityId = (kind: EntityKind) =>
  z
    .string()
    .refine((id) => canBeNewId(kind, id), { error: `must be ${newIdRule(kind)}` })
    // Not in the REST contract.
    .meta({ description: `Id of the new entity, chosen by the client: ${newIdRule(kind)}.`, 'x-addition': true })
    .nullish()
    .transform((id) => id ?? newId(kind));

export const bulkIds = z.array(z.string());

export const referencedIds = z
  .array(z.string())
  .max(maxReferencedIds, { error: `must be at most ${maxReferencedIds} ids` });

interface Position {
  value: unknown;
  /** Field name or list index in the parent. */
  key: string;
  parent?: Position;
}

/** Levels of a path, and UTF-16 code units of a level. Without these bounds, clients choose both. */
const longestPath = 20;
const longestKey = 100;

function pathOf(position: Position): string {
  const keys: string[] = [];
  for (let each: Position | undefined = position; each; each = each.parent) keys.push(each.key);
  const named = keys.reverse().filter((key) => key !== '');
  return named
    .slice(0, longestPath)
    .map((key) => key.slice(0, longestKey))
    .join('.');
}

/** Finds invalid text and too long lists anywhere in the input, without recursion. */
export function generalProblems(input: unknown, path = ''): InputProblem[] {
  const problems: InputProblem[] = [];
  const pending: Position[] = [{ value: input, key: path }];
  const add = (at: Position, message: string) => void problems.push({ path: pathOf(at), message });
  for (let at = pending.pop(); at && problems.length < maxProblems; at = pending.pop()) {
    const { value } = at;
    if (typeof value === 'string') {
      if (!isText(value)) add(at, notText);
    } else if (Array.isArray(value)) {
      if (value.length > maxListEntries) add(at, `must have at most ${maxListEntries} entries`);
      else for (let index = value.length - 1; index >= 0; index -= 1) visit(value[index], String(index), at);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value).reverse()) {
        if (isText(key)) visit(inner, key, at);
        else add({ value: inner, key, parent: at }, notText);
      }
    }
  }
  return problems.slice(0, maxProblems);

  function visit(value: unknown, key: string, parent: Position): void {
    if (typeof value === 'object' ? value !== null : typeof value === 'string') pending.push({ value, key, parent });
  }
}

/** @param prefix path of the argument @throws {ValidationError} with up to {@link maxProblems} problems */
export function parse<Shape extends z.ZodType>(shape: Shape, input: unknown, prefix = ''): z.output<Shape> {
  const general = generalProblems(input, prefix);
  requireNone(general);
  const result = shape.safeParse(input);
  if (!result.success) throw new ValidationError(problemsOf(result.error, prefix));
  return result.data;
}

export const isEmpty = (changes: object) => Object.values(changes).every((value) => value === undefined);

/** @throws {ValidationError} also if there are no changes */
export function parseChanges<Shape extends z.ZodObject>(shape: Shape, input: unknown): z.output<Shape> {
  const changes = parse(shape, input);
  if (isEmpty(changes)) {
    throw invalid('', `${Object.keys(shape.shape).join(' or ')} must be given`);
  }
  return changes;
}

/** Limit of avatars, the only files (contract, part 8). */
export const maxFileBytes = 5 * 1024 * 1024;
