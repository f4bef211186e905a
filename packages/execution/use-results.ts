import type { ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { streamHeaders } from '@taskgate/http';

export interface Streamed {
  query: string;
  results: ExecutionResult | AsyncIterable<ExecutionResult>;
}

/** Gives Yoga results to send: as Server-Sent Events or multipart, with keep-alive. */
export const useResults = (): Plugin => ({
  onRequestParse({ serverContext, setRequestParser }) {
    const { query } = serverContext as unknown as Streamed;
    setRequestParser(() => ({ query }));
  },
  onParams({ context, setResult }) {
    setResult((context as unknown as Streamed).results);
  },
  onResponse({ response: { headers } }) {
    // Replaces Yoga's own headers.
    for (const [name, value] of Object.entries(streamHeaders)) headers.set(name, value);
    headers.delete('Content-Encoding');
    // Its `keep-alive` would replace the `close` of a stopping service.
    headers.delete('Connection');
  },
});
