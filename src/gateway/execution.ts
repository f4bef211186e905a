import type { Request } from 'express';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { presentable, run } from '../kernel/execute.ts';
import { stream } from '../kernel/stream.ts';
import { type Answers, subscribe } from '../kernel/subscribe.ts';
import { askedOf } from './asked.ts';

/**
 * Has Yoga run operations as the other doors do, unless they were run already; subscriptions with a context of each
 * event's own.
 */
export function useKernel(): Plugin<{ req: Request }> {
  return {
    onExecute({ args, setExecuteFn }) {
      const { result } = askedOf(args.contextValue.req);
      setExecuteFn(result ? () => result : (given: ExecutionArgs) => run(given));
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const answers = await subscribe(args);
        return Symbol.asyncIterator in answers ? withReason(answers) : answers;
      });
    },
  };
}

/** Yoga cuts the connection where a stream throws; here the error is the last event, and then comes the end. */
function withReason(answers: Answers): Answers {
  const next = () =>
    answers.next().catch((error: unknown): IteratorResult<ExecutionResult, void> => {
      return { done: false, value: { errors: [presentable(error, '')] } };
    });
  return stream(next, () => answers.return());
}
