import './accounts/schema.ts';
import { builder } from './kernel/builder.ts';

/** The GraphQL schema: every room's types and fields, put together once. */
export const schema = builder.toSchema();
