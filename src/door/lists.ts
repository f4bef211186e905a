import type { GraphQLSchema } from 'graphql';
import { compileFragment, type FragmentDocument } from '@taskgate/nested-read';
import { type Export, type ExportedKinds, sendExport } from '../exports/rules.ts';
import type { Context } from '../platform/context.ts';
import { inStreamTurn, type ListArguments, streamSections, streamTasks, type TaskBatches } from '../tasks/rules.ts';

export type { Export, TaskBatches };

type Text = AsyncGenerator<string>;

/** Lists that are written while they are read. Each throws if it gets no turn. */
export const streamsOf = (schema: GraphQLSchema, context: Context, send: (text: Text) => Promise<void>) => ({
  tasks<Task>(fragment: FragmentDocument<Task>, args: ListArguments, write: (stream: TaskBatches<Task>) => Text) {
    const task = compileFragment(schema, fragment);
    return inStreamTurn(context, (own) => send(write(streamTasks(own, args, task))));
  },
  sections<Section, Task>(
    sectionFragment: FragmentDocument<Section>,
    taskFragment: FragmentDocument<Task>,
    projectId: string,
    write: (stream: TaskBatches<Task, Section>) => Text,
  ) {
    const section = compileFragment(schema, sectionFragment);
    const task = compileFragment(schema, taskFragment);
    return inStreamTurn(context, (own) => send(write(streamSections(own, projectId, section, task))));
  },
});

export type Streams = ReturnType<typeof streamsOf>;

/** @returns a function that sends all data of the caller while it is read; see `sendExport` of `exports/rules.ts` */
export const bindExport = <Todo>(schema: GraphQLSchema, todo: FragmentDocument<Todo>, kinds: ExportedKinds) => {
  const selection = compileFragment(schema, todo);
  return (context: Context, send: (all: Export<Todo>) => Promise<void>) => sendExport(context, selection, kinds, send);
};
