import type { Attributes } from '@opentelemetry/api';
import { getOperationAST } from 'graphql';
import { inSpan, isTracing } from '../../kernel/tracing.ts';
import { type ExecutionPlugin, type OperationArgs, typeOf } from '../envelop.ts';

interface SpanNames {
  name: string;
  attributes?: Attributes;
}

/** While tracing is on, records a span around the plugins before it. */
export const useSpan = (spanOf: (args: OperationArgs) => SpanNames): ExecutionPlugin => ({
  onExecute({ args, executeFn, setExecuteFn }) {
    if (!isTracing()) return;
    const { name, attributes } = spanOf(args);
    setExecuteFn((own) => inSpan(name, async () => executeFn(own), attributes && { attributes }));
  },
});

export function operationSpan(args: OperationArgs): SpanNames {
  const type = typeOf(args);
  const name = getOperationAST(args.document, args.operationName)?.name?.value.slice(0, 100);
  return { name: `graphql ${type}`, attributes: { 'graphql.operation.type': type, 'graphql.operation.name': name } };
}
