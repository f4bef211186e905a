import { createRequire } from 'node:module';
import path from 'node:path';
import { Router } from 'express';
import { openApiPath } from '../../rest/openapi.ts';
import { pagePolicy } from '../http/security-headers.ts';
import { staticFiles } from '../http/static-files.ts';

/** Importing the package would load its page scripts. */
const assets = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width" />
    <meta name="color-scheme" content="light dark" />
    <title>Taskgate REST API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
    <link rel="stylesheet" href="/docs/page.css" />
  </head>
  <body>
    <form id="sign-in">
      <span role="status"></span>
      <label>E-mail <input name="email" type="email" autocomplete="username" required /></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
      <button name="in">Sign in</button>
      <button name="out" type="button" hidden>Sign out</button>
    </form>
    <div id="reference"></div>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/page.js"></script>
  </body>
</html>
`;

const style = `
#sign-in { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; max-width: 1460px; margin: 0 auto; padding: 1rem 20px; font: 14px sans-serif; color: #3b4151; }
#sign-in span { flex: 1 1 20rem; }
#sign-in [hidden] { display: none; }
#sign-in input, #sign-in button { font: inherit; padding: 0.4rem 0.6rem; border: 1px solid #8c8c8c; border-radius: 4px; background: #fff; }
html.dark-mode #sign-in { color: #e4e6e6; }
html.dark-mode #sign-in input, html.dark-mode #sign-in button { background: #22272b; color: inherit; }
`;

/** Replaces "Authorize", which would accept anything. */
const script = `
const form = document.querySelector('#sign-in');
const [status] = form.getElementsByTagName('span');
const { email, password, in: signIn, out: signOut } = form.elements;

async function ask(path, body) {
  const response = await fetch(path, {
    method: body ? 'POST' : 'GET',
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { isDone: response.ok, ...(await response.json()) };
}

async function show(refusal) {
  const { isAuthenticated, email: address } = await ask('/api/v1/auth-check');
  status.textContent =
    refusal ?? (isAuthenticated ? 'Signed in as ' + address + '.' : 'Sign in to send requests from this page.');
  for (const each of [email, password]) each.parentElement.hidden = isAuthenticated;
  signIn.hidden = isAuthenticated;
  signOut.hidden = !isAuthenticated;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { isDone, message } = await ask('/api/v1/user/signin', { email: email.value, password: password.value });
  if (isDone) form.reset();
  await show(isDone ? undefined : message);
});
signOut.addEventListener('click', async () => {
  const { isDone, message } = await ask('/api/v1/user/logout', {});
  await show(isDone ? undefined : message);
});

// Swagger UI has its dark colours by this class.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followSystem = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followSystem);
followSystem();

const none = () => () => null;
SwaggerUIBundle({
  url: '${openApiPath}',
  dom_id: '#reference',
  deepLinking: true,
  tryItOutEnabled: true,
  plugins: [{ wrapComponents: { authorizeBtn: none, authorizeOperationBtn: none } }],
  // A request that signs in or out shows above.
  responseInterceptor: (response) => {
    if (/\\/(signin|logout|verify)$/.test(response.url)) void show();
    return response;
  },
});
void show();
`;

/** Swagger UI uses style attributes and data images. */
const policy = pagePolicy({
  'script-src': ["'self'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'connect-src': ["'self'"],
});

/** The REST reference. */
export function docs(): Router {
  const router = Router();
  router.get('/', (_request, response) => {
    response.set('Content-Security-Policy', policy).type('html').send(page);
  });
  router.get('/page.js', (_request, response) => void response.type('js').send(script));
  router.get('/page.css', (_request, response) => void response.type('css').send(style));
  router.use('/assets', staticFiles(assets, { maxAge: '1d' }));
  return router;
}
