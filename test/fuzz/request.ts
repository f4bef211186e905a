import type { Client } from '../kit/client.ts';
import type { EntityKind } from '../../src/platform/entities.ts';
import { IdOf } from './values.ts';

/** A generated request with placeholders for ids. */
export type FuzzRequest =
  | {
      kind: 'rest';
      name: string;
      /** Documented ones. */
      statuses: readonly number[];
      method: string;
      path: string;
      parameters: Record<string, unknown>;
      query: Record<string, unknown>;
      body: unknown;
      multipart: boolean;
    }
  | { kind: 'graphql'; name: string; query: string; variables: Record<string, unknown> };

/** The latest ids by entity. */
export class Ids {
  readonly #known = new Map<EntityKind, string[]>();

  add(entity: EntityKind, id: string): void {
    const ids = this.#known.get(entity) ?? [];
    ids.push(id);
    if (ids.length > 200) ids.shift();
    this.#known.set(entity, ids);
  }

  at(entity: EntityKind, place: number): string {
    const ids = this.#known.get(entity) ?? [];
    return ids[place % ids.length] ?? '';
  }
}

export function resolved(value: unknown, ids: Ids): unknown {
  if (value instanceof IdOf) return `${value.prefix}${ids.at(value.entity, value.place)}`;
  if (Array.isArray(value)) return value.map((each) => resolved(each, ids));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolved(each, ids)]));
}

/** Encodes any string for a URL. A lone surrogate becomes its three bytes, because `encodeURIComponent` refuses it. */
const encoded = (value: unknown) => {
  const text = typeof value === 'string' ? value : Array.isArray(value) ? value.join(',') : JSON.stringify(value);
  return [...text].map((sign) => (sign.isWellFormed() ? encodeURIComponent(sign) : '%ED%A0%80')).join('');
};

export async function send(client: Client, request: FuzzRequest, ids: Ids) {
  if (request.kind === 'graphql') {
    const { query, variables } = request;
    return client.post<{ data?: unknown; errors?: { extensions: { code: string } }[] }>('/graphql', {
      query,
      variables: resolved(variables, ids),
    });
  }
  const path = request.path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    encoded(resolved(request.parameters[name], ids)),
  );
  const query = Object.entries(resolved(request.query, ids) as Record<string, unknown>)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&');
  const body = resolved(request.body, ids);
  return client.send(request.method, query ? `${path}?${query}` : path, request.multipart ? formOf(body) : body);
}

function formOf(body: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) {
    if (name === 'image') form.set(name, new Blob(['not a picture']), 'picture.png');
    else form.set(name, String(value));
  }
  return form;
}
