import type { Request, Response } from 'express';
import type { ExecutionArgs, ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { presentable, run } from '../graphql/execute.ts';
import { stream } from '../kernel/stream.ts';
import { type Answers, subscribe } from '../graphql/subscribe.ts';
import { graphqlRequestOf } from './graphql-request.ts';

/**
 * Has Yoga run operations as the other doors do, unless they were run already; subscriptions with a context of each
 * event's own.
 */
export function useKernel(): Plugin<{ req: Request }> {
  return {
    onExecute({ args, setExecuteFn }) {
      const { result } = graphqlRequestOf(args.contextValue.req);
      setExecuteFn(result ? () => result : (given: ExecutionArgs) => run(given));
    },
    onSubscribe({ setSubscribeFn }) {
      setSubscribeFn(async (args: ExecutionArgs) => {
        const { req, res } = args.contextValue as { req: Request; res: Response };
        const { checked } = graphqlRequestOf(req);
        const answers = await subscribe(args, {
          cost: checked?.cost ?? 0,
          bytes: checked?.bytes ?? 0,
          hasConnection: true,
        });
        if (!(Symbol.asyncIterator in answers)) return answers;
        // Yoga ends a stream that it has begun to send; the client may be gone before that.
        const end = () => void answers.return();
        if (res.closed) end();
        else res.once('close', end);
        return withReason(answers);
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
