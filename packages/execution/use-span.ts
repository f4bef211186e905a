import type { Attributes } from '@opentelemetry/api';
import { getOperationAST } from 'graphql';
import { inSpan, isTracing } from '@taskgate/base';
import type { ExecutionPlugin, OperationArgs } from './envelop.ts';
import { operationTypeOf } from './named-operation.ts';

interface NamedSpan {
  name: string;
  attributes?: Attributes;
}

/** While tracing is on, records a span around the plugins before it. */
export const useSpan = (spanOf: (args: OperationArgs) => NamedSpan): ExecutionPlugin => ({
  onExecute({ args, executeFn, setExecuteFn }) {
    if (!isTracing()) return;
    const { name, attributes } = spanOf(args);
    setExecuteFn((own) => inSpan(name, async () => executeFn(own), { attributes }));
  },
});

export function operationSpan(args: OperationArgs): NamedSpan {
  const type = operationTypeOf(args);
  const name = getOperationAST(args.document, args.operationName)?.name?.value.slice(0, 100);
  return { name: `graphql ${type}`, attributes: { 'graphql.operation.type': type, 'graphql.operation.name': name } };
}
