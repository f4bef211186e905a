import { route } from '../app/router.ts';
import { ForgotPassword } from './forgot-password.tsx';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

/** @param email address of the account whose session has ended @param problem error code of a provider */
export function Entry({ email, problem }: { email?: string | undefined; problem?: string | undefined }) {
  const { path } = route.value;
  if (path === '/signup') return <SignUp />;
  if (path === '/forgot') return <ForgotPassword />;
  return <SignIn email={email} problem={problem} />;
}
