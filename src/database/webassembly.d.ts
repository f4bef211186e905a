/** What of WebAssembly's interface is used here; Node has it all, its type package has none of it. */
declare namespace WebAssembly {
  interface Instance {
    exports: Record<string, unknown>;
  }
  function compile(bytes: Uint8Array): Promise<object>;
  function instantiate(module: object, imports: Record<string, object>): Promise<Instance>;
}
