import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import pg from 'pg';

const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation', 'ssl'];
const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const tlsSwitches = ['true', '1', '0', 'no-verify'];

/** The driver ignores these parameters, and connects without TLS or with it. */
function problemOfTls(url: string): string | undefined {
  for (const [name, value] of new URL(url).searchParams) {
    if (/^ssl/i.test(name) && !tlsParameters.includes(name))
      return `must be a URL whose TLS parameters are ${tlsParameters.join(', ')}`;
    if (name === 'sslmode' && !tlsModes.includes(value)) return `must have an sslmode of ${tlsModes.join(', ')}`;
    if (name === 'ssl' && !tlsSwitches.includes(value)) return `must have ssl as ${tlsSwitches.join(', ')}`;
  }
  return undefined;
}

/** Writes the modes that the driver takes for `verify-full` as that, or it prints a warning of several lines. */
export function withPlainMode(url: string): string {
  if (new URL(url).searchParams.get('uselibpqcompat') === 'true') return url;
  return url.replaceAll(/(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=[&#]|$)/g, 'verify-full');
}

/** @returns a problem of the URL or its certificates, to follow the variable's name */
export function problemOfUrl(url: string): string | undefined {
  const problem = problemOfTls(url);
  if (problem !== undefined) return problem;
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
