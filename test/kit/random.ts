import { randomBytes } from 'node:crypto';

/** A name that no other test uses, such as `task-3f9a1c22`. */
export const randomName = (kind: string) => `${kind}-${randomBytes(4).toString('hex')}`;

export const randomEmail = () => `${randomName('user')}@example.com`;
