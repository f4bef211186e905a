import { z } from 'zod';
import { isId } from '../platform/ids.ts';
import { opaqueText } from '../platform/opaque.ts';

const operationId = z.string().refine((id) => isId('Operation', id));

/** Contents of a cursor by kind of list. */
export const positions = {
  operations: z.tuple([operationId]),
  entities: z.tuple([opaqueText.refine((id) => !isId('Operation', id))]),
  deletions: z.tuple([operationId, opaqueText]),
};
