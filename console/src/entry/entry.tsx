import { route } from '../app/router.ts';
import { Forgot } from './forgot.tsx';
import { SignIn } from './sign-in.tsx';
import { SignUp } from './sign-up.tsx';

/**
 * The page of a user who is not signed in.
 * @param email of the account whose session has ended
 * @param problem code of the error that an external provider's sign-in ended with
 */
export function Entry({ email, problem }: { email?: string | undefined; problem?: string | undefined }) {
  const { path } = route.value;
  if (path === '/signup') return <SignUp />;
  if (path === '/forgot') return <Forgot />;
  return <SignIn email={email} problem={problem} />;
}
