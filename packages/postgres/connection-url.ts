import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import pg from 'pg';

/** @returns a problem of the URL or its certificates, to follow the variable's name */
export function problemOfUrl(url: string): string | undefined {
  try {
    const { ssl } = new pg.Client({ connectionString: url }) as { ssl: pg.ClientConfig['ssl'] };
    if (typeof ssl !== 'object') return undefined;
    createSecureContext(ssl);
    // Node ignores text that is not a certificate.
    if (typeof ssl.ca === 'string') void new X509Certificate(ssl.ca);
    return undefined;
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (path !== undefined) return `must name readable files (${code})`;
    return `must be a URL with valid parameters and certificates (${code ?? message})`;
  }
}
