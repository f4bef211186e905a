import type { Client } from '../kit/client.ts';
import type { Service } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

/** Who asks for a mutation, with which arguments. */
export interface Ask {
  as: Client;
  with: string;
}

/** For each mutation that gets people back in, and moves them, a request that succeeds. @param service is there once one is made */
export const identityAsks = (service: () => Service): [name: string, ask: () => Promise<Ask>][] => [
  [
    'requestPasswordReset',
    async () => ({ as: service().anonymous, with: `(email: "${(await signUp(service())).email}")` }),
  ],
  [
    'resetPassword',
    async () => {
      const { email } = await signUp(service());
      await service().anonymous.data(`mutation { requestPasswordReset(email: "${email}") }`);
      const code = await service().mailbox.takeCode(email);
      return { as: service().anonymous, with: `(email: "${email}", code: "${code}", password: "new")` };
    },
  ],
  [
    'requestEmailChange',
    async () => {
      const user = await signUp(service());
      return { as: user, with: `(email: "new@example.com", password: "${user.password}")` };
    },
  ],
  [
    'confirmEmailChange',
    async () => {
      const [user, email] = [await signUp(service()), 'moved@example.com'];
      await user.data(`mutation { requestEmailChange(email: "${email}", password: "${user.password}") }`);
      return { as: user, with: `(code: "${await service().mailbox.takeCode(email)}")` };
    },
  ],
];
