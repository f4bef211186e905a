import { useEffect, useState } from 'preact/hooks';
import { returnAddress } from '../app/session.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';

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
    <Button
      key={name}
      text={texts.continueWith(label)}
      onClick={() => location.assign(`/api/v1/auth/${name}?returnTo=${encodeURIComponent(returnAddress())}`)}
    />
  ));
