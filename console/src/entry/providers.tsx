import { useEffect, useState } from 'preact/hooks';
import { returnAddress } from '../app/session.ts';
import { texts } from '../texts.ts';

/** An external provider, as the operator has named it. */
export interface Provider {
  readonly name: string;
  readonly label: string;
}

/** The providers of this service; none until they are known. */
export function useProviders(): readonly Provider[] {
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  useEffect(() => {
    // No operation of the OpenAPI document: browsers are led there.
    fetch('/api/v1/auth/providers')
      .then((response) => response.json() as Promise<{ providers: Provider[] }>)
      .then((answer) => setProviders(answer.providers))
      .catch(() => undefined);
  }, []);
  return providers;
}

/** A button for each external provider. */
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
