import { useEffect, useState } from 'preact/hooks';
import { returnAddress } from '../app/session.ts';
import { texts } from '../texts.ts';

export interface Provider {
  readonly name: string;
  readonly label: string;
}

/** Empty until they are loaded. */
export function useProviders(): readonly Provider[] {
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  useEffect(() => {
    // The OpenAPI document, and thus the client, lacks this endpoint.
    fetch('/api/v1/auth/providers')
      .then((response) => response.json() as Promise<{ providers: Provider[] }>)
      .then((body) => setProviders(body.providers))
      .catch(() => undefined);
  }, []);
  return providers;
}

export const Providers = () =>
  useProviders().map(({ name, label }) => (
    <button
      key={name}
      type="button"
      onClick={() => location.assign(`/api/v1/auth/${name}?returnTo=${encodeURIComponent(returnAddress())}`)}
    >
      {texts.continueWith(label)}
    </button>
  ));
