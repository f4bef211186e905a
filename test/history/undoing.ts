import { expect } from '@jest/globals';
import type { User } from '../kit/users.ts';

export const operationOf = ({ headers }: { headers: Headers }) => headers.get('x-operation-id') ?? '';

interface UndoResponse {
  applied: number;
  conflicts: { type: string; id: string | null; field: string | null; reason: string }[];
  operationId: string | null;
}

export async function undo(user: User, id: string): Promise<UndoResponse> {
  const { status, body } = await user.post<UndoResponse>(`/api/v2/operations/${id}/undo`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

export const clean = { conflicts: [], operationId: expect.stringMatching(/^op_/) };

/** All fields of a task that an undo restores. */
export const taskFields = `id title description priority dueDate dueTime isAllDay completed completedAt color
  reminder sortKey parent { id } project { id } section { id } tags { id } createdAt`;

export const readTask = async (user: User, id: string) =>
  (await user.data<{ task: object | null }>(`query ($id: ID!) { task(id: $id) { ${taskFields} } }`, { id })).task;
