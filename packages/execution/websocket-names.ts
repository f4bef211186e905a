/** Start of a graphql-ws message. */
const head = /^\{"id":"(\d+)","type":"(\w+)"/;

/**
 * graphql-ws knows operations by id alone, and confuses two if the peer completes one and reuses its id at once. It
 * therefore gets names that are never reused.
 */
export class OperationNames {
  #count = 0;
  readonly #names = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  /** @returns undefined if the id is in use */
  give(id: string): string | undefined {
    if (this.#names.has(id)) return undefined;
    this.#count += 1;
    const name = String(this.#count);
    this.#names.set(id, name);
    this.#ids.set(name, id);
    return name;
  }

  take(id: string): string | undefined {
    const name = this.#names.get(id);
    this.#names.delete(id);
    if (name !== undefined) this.#ids.delete(name);
    return name;
  }

  /** @returns undefined if the peer has completed the operation */
  toPeer(message: string): string | undefined {
    const [named, name = '', type] = head.exec(message) ?? [];
    if (named === undefined) return message;
    const id = this.#ids.get(name);
    if (id === undefined) return undefined;
    if (type !== 'next') this.take(id);
    return `{"id":${JSON.stringify(id)},"type":"${type}"${message.slice(named.length)}`;
  }
}
