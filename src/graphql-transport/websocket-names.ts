/** The beginning of each message of graphql-ws for an operation. */
const head = /^\{"id":"(\d+)","type":"(\w+)"/;

/**
 * Names of a socket's operations. graphql-ws knows an operation by its id alone, and confuses two if the peer completes one and uses its id again
 * at once. So graphql-ws gets a name instead, which is never used again.
 */
export class OperationNames {
  #count = 0;
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  /** @returns a new name for the operation of an id; undefined if the id has one already */
  give(id: string): string | undefined {
    if (this.#names.has(id)) return undefined;
    this.#count += 1;
    const name = String(this.#count);
    this.#names.set(id, name);
    this.#ids.set(name, id);
    return name;
  }

  /** From now on the peer may use the id again. @returns the name that it had */
  take(id: string): string | undefined {
    const name = this.#names.get(id);
    this.#names.delete(id);
    if (name !== undefined) this.#ids.delete(name);
    return name;
  }

  /** @returns the message of graphql-ws with the id instead of the name; undefined if the peer has completed the operation */
  toPeer(message: string): string | undefined {
    const [named, name = '', type] = head.exec(message) ?? [];
    if (named === undefined) return message;
    const id = this.#ids.get(name);
    if (id === undefined) return undefined;
    if (type !== 'next') this.take(id);
    return `{"id":${JSON.stringify(id)},"type":"${type}"${message.slice(named.length)}`;
  }
}
