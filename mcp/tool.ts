import type { TadaDocumentNode } from 'gql.tada';
import type { DocumentNode } from 'graphql';
import { z } from 'zod';
import { fence } from '../src/claims/input.ts';
import type { Context } from '../src/door/index.ts';
import { idempotencyKeyForm, idempotencyKeyRule } from '../src/platform/ids.ts';

/** A mutation of the schema. */
export interface Mutation<Result = unknown> {
  name: string;
  /** GraphQL types of the arguments. */
  types: Readonly<Record<string, string>>;
  /** Of the result. Absent for scalars. */
  fragment?: TadaDocumentNode<Result, object, unknown>;
}

/** One mutation of a call. */
export interface Step<Result = unknown> {
  mutation: Mutation<Result>;
  args: Readonly<Record<string, unknown>>;
  /** Place in the tool's input, for errors. */
  place: string;
}

/** What a tool may use. */
export interface Caller {
  context: Context;
  /** Runs a query. @throws its first error */
  run<Data, Variables>(document: TadaDocumentNode<Data, Variables>, variables: Variables): Promise<Data>;
  /** Runs mutations in order, at least one. @returns their results @throws the first error, with its place in the tool's input */
  mutate<Result>(steps: readonly Step<Result>[]): Promise<[Result, ...Result[]]>;
}

/** Thrown by a tool that writes: everything is rolled back, and this is the result. */
export class Preview extends Error {
  readonly value: object;

  constructor(value: object) {
    super('a preview');
    this.value = value;
  }
}

interface Annotations {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
}

export interface Tool {
  name: string;
  /** Works for a reader who sees nothing else: effect, result, and the tool to call before. */
  description: string;
  input: z.ZodObject;
  output: z.ZodObject;
  annotations: Annotations;
  /** A `mutation` is one already, with nothing to undo. The mutations of an `operation` are run as one. */
  kind: 'read' | 'mutation' | 'operation';
  /** They are checked at the start. */
  documents: readonly DocumentNode[];
  answer(input: never, caller: Caller): Promise<object>;
}

type Typed<Input extends z.ZodRawShape, Output extends z.ZodRawShape> = Pick<Tool, 'name' | 'description'> & {
  documents: readonly DocumentNode[];
  input: Input;
  output: Output;
  answer(input: z.output<z.ZodObject<Input>>, caller: Caller): Promise<z.input<z.ZodObject<Output>>>;
};

const listed = (keys: readonly string[]) =>
  keys
    .slice(0, 5)
    .map((key) => key.slice(0, 100))
    .join(', ');

export const strict = <const Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `must not have ${listed(issue.keys)}: the arguments are ${Object.keys(shape).join(', ')}`
        : undefined,
  });

const toolOf = (
  kind: Tool['kind'],
  tool: Typed<z.ZodRawShape, z.ZodRawShape>,
  hints: Partial<Annotations> = {},
): Tool => ({
  ...tool,
  kind,
  input: strict(tool.input),
  output: z.object(tool.output),
  annotations: {
    ...{ readOnlyHint: kind === 'read', destructiveHint: false, idempotentHint: kind === 'read' },
    ...hints,
  },
});

const ofKind =
  (kind: Tool['kind']) =>
  <const Input extends z.ZodRawShape, const Output extends z.ZodRawShape>(tool: Typed<Input, Output>) =>
    toolOf(kind, tool);

/** These make the compiler check a tool. */
export const reading = ofKind('read');
export const mutating = ofKind('mutation');

const key = z
  .string()
  .regex(idempotencyKeyForm, { error: idempotencyKeyRule })
  .describe('Idempotency key: repeating a call with it changes nothing more, and returns the first result.')
  .optional();

const underFence = fence.describe('Fence of your claim: the call does nothing if the claim is lost.').optional();

const operationId = z.string().describe('For undo. Absent if nothing changed.').optional();

/** As {@link reading}. The result has the id of the operation. */
export const writing = <const Input extends z.ZodRawShape, const Output extends z.ZodRawShape>({
  hints,
  hasKey = true,
  ...tool
}: Typed<Input, Output> & { hints?: Partial<Annotations>; hasKey?: boolean }) => {
  const input = { ...tool.input, ...(hasKey && { key, fence: underFence }) };
  return toolOf('operation', { ...tool, input, output: { ...tool.output, operationId } }, hints);
};

/** Of an answer, structured and again as text. A cursor, totals and the id of the operation come on top. */
const maxBytes = 62 * 1024;

export const toResult = (value: object) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(value) }],
  structuredContent: value,
});

const bytesIn = (value: object): number => Buffer.byteLength(JSON.stringify(toResult(value)));

export const fits = (value: object): boolean => bytesIn(value) < maxBytes;

/** Cuts a list at the last entry that fits. The result continues at its cursor. */
export function page<Node, Shown extends object>(
  {
    edges,
    pageInfo,
  }: { edges: readonly { cursor: string; node: Node }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } },
  show: (node: Node) => Shown,
): { entries: Shown[]; cursor?: string } {
  const entries: Shown[] = [];
  let bytes = 0;
  for (const { node } of edges) {
    const shown = show(node);
    bytes += bytesIn(shown);
    if (bytes > maxBytes && entries.length > 0) break;
    entries.push(shown);
  }
  const isCut = entries.length < edges.length;
  const cursor = isCut ? edges[entries.length - 1]?.cursor : pageInfo.hasNextPage && pageInfo.endCursor;
  return { entries, ...(cursor && { cursor }) };
}

function beginning<Entry>(list: readonly Entry[], bytes: number): readonly Entry[] {
  let sum = 0;
  const end = list.findIndex((each) => (sum += Buffer.byteLength(JSON.stringify(each))) > bytes);
  return end === -1 ? list : list.slice(0, end);
}

/** Cuts the lists that are longer than others, until their result fits. */
export function shortened<Lists extends Readonly<Record<string, readonly unknown[]>>, Shown extends object>(
  given: Lists,
  show: (lists: Lists) => Shown,
): Shown {
  for (let bytes = maxBytes; ; bytes = Math.floor(bytes * 0.75)) {
    const lists = Object.entries(given).map(([name, list]) => [name, beginning(list, bytes)]);
    const shown = show(Object.fromEntries(lists) as Lists);
    if (fits(shown) || bytes === 0) return shown;
  }
}

/** Without the fields that have no value. */
export const present = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== undefined)) as {
    [Name in keyof Value]: Exclude<Value[Name], null>;
  };

const pages = { Task: 'tasks', Project: 'projects', Tag: 'tags' };

export const urlOf = ({ context }: Caller, kind: keyof typeof pages, id: string): string =>
  `${context.publicUrl}/${pages[kind]}/${id}`;
