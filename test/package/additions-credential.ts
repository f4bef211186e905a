import type { Addition } from './additions.ts';

/** The example `calendar` of CONTRIBUTING.md. */
export const credential: readonly Addition[] = [
  {
    file: 'src/accounts/calendar/credential.ts',
    text: `import { forbidden } from '../../platform/errors.ts';
import type { CredentialKind } from '../credential-kind.ts';
import { keyOfToken } from '../tokens/token.ts';

/** The password of HTTP Basic (RFC 7617). Its row is in \`access_tokens\`. */
export const calendarPassword: CredentialKind = {
  secretIn: ({ authorization = '' }) => {
    const [, encoded] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization) ?? [];
    return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString().replace(/^[^:]*:/, '');
  },
  program: {
    isWellFormed: (secret) => /^tgc_[0-9A-Za-z]{40}$/.test(secret),
    keyOf: keyOfToken,
    isAmbient: true,
    refusal: () => forbidden('A calendar password cannot start a session'),
  },
};
`,
  },
  {
    file: 'src/accounts/credentials.ts',
    before: 'import type { CredentialHeaders,',
    text: "import { calendarPassword } from './calendar/credential.ts';\n",
  },
  { file: 'src/accounts/credentials.ts', before: 'session } as const', text: 'calendar: calendarPassword, ' },
];
