import type { DocumentNode } from 'graphql';
import type { z } from 'zod';
import type { SyncedKind } from '../../src/platform/entities.ts';
import type { RestCaller, Route } from '../route.ts';
import { comments } from './comments.ts';
import { projects } from './projects.ts';
import { sections } from './sections.ts';
import { tags } from './tags.ts';
import { todos } from './todos.ts';
import { workspaces } from './workspaces.ts';

/** How batches and exports show a kind. */
interface Shown {
  fragment: DocumentNode;
  show(data: never, caller: RestCaller): object;
  response: z.ZodObject;
}

export const kinds = {
  Project: projects,
  Section: sections,
  Task: todos,
  Tag: tags,
  Workspace: workspaces,
  Comment: comments,
} satisfies Record<SyncedKind, { routes: readonly Route[]; shown: Shown }>;
