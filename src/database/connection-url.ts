import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import pg from 'pg';

/**
 * Reads the URL of a database, and the certificates that it names, as a connection does.
 * @returns what is wrong with it, to follow the name of a variable; undefined: nothing
 */
export function problemOfUrl(url: string): string | undefined {
  try {
    const { ssl } = new pg.Client({ connectionString: url }) as { ssl: pg.ClientConfig['ssl'] };
    if (typeof ssl !== 'object') return undefined;
    createSecureContext(ssl);
    // Node ignores text that is no certificate.
    if (typeof ssl.ca === 'string') void new X509Certificate(ssl.ca);
    return undefined;
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (path !== undefined) return `must name files that can be read (${code})`;
    return `must be a URL with parameters and certificates that can be used (${code ?? message})`;
  }
}
