import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { z } from 'zod';
import { fence } from '../src/claims/input.ts';
import type { Context } from '../src/door/index.ts';
import { idempotencyKeyForm, idempotencyKeyRule } from '../src/platform/ids.ts';

/** What a tool may use. */
export interface Caller {
  context: Context;
  /**
   * @param variables undefined ones are absent
   * @param place of the variables in the tool's input, for errors
   * @throws the first error
   */
  run<Data, Variables extends object>(
    document: TadaDocumentNode<Data, Variables>,
    variables: Variables,
    place?: string,
  ): Promise<Data>;
}

/** Thrown by a tool that writes: everything is rolled back, and the cause is the result. */
export class Preview extends Error {}

/** Values that are null are left out of the result. */
type Draft<Value> = Value extends readonly (infer Entry)[]
  ? readonly Draft<Entry>[]
  : Value extends object
    ? { [Name in keyof Value]: Draft<Value[Name]> | (undefined extends Value[Name] ? null : never) }
    : Value;

interface Row<Input, Output, Given, Result> {
  /** Works for a reader who sees nothing else: effect, result, and the tool to call before. */
  description: string;
  input: Input;
  /** With an `operationId`, all mutations of a call are run as one operation. */
  output: Output;
  /** They are checked at the start. */
  documents: readonly DocumentNode[];
  /** Number of changes of a call, for rate limits. Default of tools that write: 1 */
  writes?(input: Given): number;
  hints?: { destructiveHint?: boolean; idempotentHint?: boolean };
  answer(input: Given, caller: Caller): Promise<Result>;
}

export type Tool = Row<z.ZodObject, z.ZodObject, never, object>;
export type NamedTool = Tool & { name: string };

export const strict = <const Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error({ code, keys }) {
      if (code !== 'unrecognized_keys') return undefined;
      return `must not have ${keys[0]?.slice(0, 100)}: the arguments are ${Object.keys(shape).join(', ')}`;
    },
  });

/** Makes the compiler check a tool. */
export const tool = <const Input extends z.ZodRawShape, const Output extends z.ZodRawShape>(
  row: Row<Input, Output, z.output<z.ZodObject<Input>>, Draft<z.input<z.ZodObject<Output>>>>,
): Tool => ({ ...row, input: strict(row.input), output: z.object(row.output) });

export const isReading = ({ documents }: Tool): boolean =>
  documents.every((document) => getOperationAST(document)?.operation === OperationTypeNode.QUERY);

export const text = z.string().optional();

/** Arguments of an operation that changes entities. */
export const keyed = {
  key: z
    .string()
    .regex(idempotencyKeyForm, { error: idempotencyKeyRule })
    .describe('Idempotency key: repeating a call with it changes nothing more, and returns the first result.')
    .optional(),
  fence: fence.describe('Fence of your claim: the call does nothing if the claim is lost.').optional(),
};

/** Of the result of an operation. */
export const operationId = z.string().describe('For undo. Absent if nothing changed.').optional();

export const urlOf = ({ context }: Caller, kind: string, id: string): string =>
  `${context.publicUrl}/${kind.toLowerCase()}s/${id}`;

/** Of an answer, structured and again as text. A cursor, totals and the id of the operation come on top. */
const maxBytes = 62 * 1024;

/** Without values that are null. */
export function toResult(value: object) {
  const text = JSON.stringify(value, (_name, each: unknown) => each ?? undefined);
  return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
}

const bytesIn = (value: object): number => Buffer.byteLength(JSON.stringify(toResult(value)));

export const fits = (value: object): boolean => bytesIn(value) < maxBytes;

/** The first entries that have so many bytes. */
function beginning<Entry>(entries: readonly Entry[], bytes: number, bytesOf: (entry: Entry) => number) {
  let sum = 0;
  const end = entries.findIndex((each) => (sum += bytesOf(each)) > bytes);
  return end === -1 ? entries : entries.slice(0, end);
}

interface Page<Node> {
  edges: readonly { cursor: string; node: Node }[];
  pageInfo: { hasNextPage: boolean };
}

/** Cuts a list at the last entry that fits. The result continues at its cursor. @param show its results must fit alone */
export function page<Node, Shown extends object>({ edges, pageInfo }: Page<Node>, show: (node: Node) => Shown) {
  const shown = edges.map(({ node }) => show(node));
  const entries = beginning(shown, maxBytes, bytesIn);
  const isWhole = entries.length === edges.length && !pageInfo.hasNextPage;
  return { entries, cursor: isWhole ? undefined : edges[entries.length - 1]?.cursor };
}

const bytesWithoutLists = (entry: unknown): number =>
  Buffer.byteLength(JSON.stringify(entry, (_name, each: unknown) => (Array.isArray(each) ? undefined : each)));

/** Cuts lists and texts. The lists in an entry are cut earlier than the list of the entries. */
function cut(value: unknown, bytes: number): unknown {
  if (typeof value === 'string')
    return value.length > bytes ? `${value.slice(0, bytes).replace(/[\ud800-\udbff]$/, '')}…` : value;
  if (Array.isArray(value)) return beginning(value, bytes, bytesWithoutLists).map((each) => cut(each, bytes / 8));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, bytes)]));
}

/** Cuts the lists and texts that are longer than others, until the result fits. */
export function shortened<Value extends object>(value: Value): Value {
  let shown = value;
  for (let bytes = maxBytes; !fits(shown); bytes *= 0.75) shown = cut(value, bytes) as Value;
  return shown;
}
