import { isNativeError } from 'node:util/types';

/**
 * Jest runs tests in a realm of their own, in which the errors that Node itself makes, such as ECONNRESET, are no `Error`:
 * libraries would take them for anything else. From now on they are what they are in the service.
 */
export function knowErrorsOfNode(): void {
  Object.defineProperty(Error, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return this === Error ? isNativeError(value) : Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}
