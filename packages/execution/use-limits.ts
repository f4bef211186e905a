import type { GraphQLSchema } from 'graphql';
import { requireNone } from '@taskgate/base';
import { measure } from './complexity.ts';
import { checkText, limits } from './limits.ts';
import type { CheckPlugin } from './envelop.ts';

/** Refuses documents beyond the limits, before validation, which can be expensive. */
export const useLimits = (schema: GraphQLSchema): CheckPlugin => ({
  onParse({ context, parseFn, setParseFn }) {
    setParseFn((source) => {
      requireNone(checkText(source.body));
      const document = parseFn(source, { maxTokens: limits.tokens });
      const { problems, fields } = measure(schema, document);
      requireNone(problems);
      context.fields = fields;
      return document;
    });
  },
});
