import type { TadaDocumentNode } from 'gql.tada';
import { type DocumentNode, getOperationAST, OperationTypeNode } from 'graphql';
import { z } from 'zod';
import { fence } from '../src/claims/input.ts';
import type { Context } from '../src/door/index.ts';
import { idempotencyKeyForm, idempotencyKeyRule } from '../src/platform/ids.ts';

/** Runs the documents of a tool, for one call. */
export interface Api {
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

/** Thrown by a tool to roll back its writes. The cause is the result of the call. */
export class Preview extends Error {}

/** The result leaves out null values. */
type Draft<Value> = Value extends readonly (infer Entry)[]
  ? readonly Draft<Entry>[]
  : Value extends object
    ? { [Name in keyof Value]: Draft<Value[Name]> | (undefined extends Value[Name] ? null : never) }
    : Value;

interface Row<Input, Output, Given, Result> {
  /** Effect, result, and the tool to call before. Agents read nothing else. */
  description: string;
  input: Input;
  /** With an `operationId`, all mutations of a call are run as one operation. */
  output: Output;
  /** They are checked at the start. */
  documents: readonly DocumentNode[];
  /** Number of changes of a call, for rate limits. Default of tools that write: 1 */
  writes?(input: Given): number;
  hints?: { destructiveHint?: boolean; idempotentHint?: boolean };
  answer(input: Given, api: Api): Promise<Result>;
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

export const urlOf = ({ context }: Api, kind: string, id: string): string =>
  `${context.publicUrl}/${kind.toLowerCase()}s/${id}`;
