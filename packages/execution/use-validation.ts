import { GraphQLError, NoSchemaIntrospectionCustomRule, validate, type ValidationRule } from 'graphql';
import { isText, maxProblems, notText } from '@taskgate/base';
import type { CheckPlugin } from './envelop.ts';

const TextLiteralsRule: ValidationRule = (context) => ({
  StringValue(node) {
    if (!isText(node.value)) context.reportError(new GraphQLError(notText, { nodes: node }));
  },
});

/** Adds rules to the specified ones, and limits the work: no other limit counts the fields of unused fragments. */
export function useValidation({ introspection }: { introspection: boolean }): CheckPlugin {
  const rules = [TextLiteralsRule, ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  // Each error costs a search for its position. Suggestions would leak a hidden schema.
  const options = { maxErrors: maxProblems, hideSuggestions: !introspection };
  return {
    onValidate({ addValidationRule, setValidationFn }) {
      rules.forEach(addValidationRule);
      setValidationFn((schema, document, all) => {
        const unusedFragments = all?.filter(({ name }) => name === 'NoUnusedFragmentsRule');
        const unused = validate(schema, document, unusedFragments, options);
        return unused.length > 0 ? unused : validate(schema, document, all, options);
      });
    },
  };
}
