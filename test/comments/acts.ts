import type { RestComment } from '../kit/make.ts';
import type { User } from '../kit/users.ts';

interface Page {
  comments: RestComment[];
  cursor: string | null;
  hasMore: boolean;
}

export const pageOf = async (user: User, taskId: string, query = '') =>
  (await user.get<Page>(`/api/v2/todo/${taskId}/comments${query}`)).body;

export const textsOf = async (user: User, taskId: string) =>
  (await pageOf(user, taskId)).comments.map(({ text }) => text);

export const edit = (user: User, id: string, text: unknown) => user.patch(`/api/v2/comments/${id}`, { text });
export const remove = (user: User, id: string) => user.delete(`/api/v2/comments/${id}`);

export const refusal = (status: number, code: string, path?: string) => ({
  status,
  body: { code, ...(path !== undefined && { errors: [{ path }] }) },
});
