import type { Response } from 'express';
import { Html, html } from '@taskgate/http';
import { pagePolicy } from './security-headers.ts';

const policy = pagePolicy({ 'style-src': ["'unsafe-inline'"], 'img-src': ['data:'], 'form-action': ["'self'"] });

const style = new Html(`<style>
  :root { color-scheme: light dark; font: 1.1rem/1.6 system-ui, sans-serif; }
  main { max-width: 34rem; margin: 15vh auto 0; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; line-height: 1.25; }
  dt { margin-top: 1rem; font-weight: 600; }
  dd { margin: 0; }
  button { font: inherit; padding: 0.4rem 1rem; }
</style>`);

/** A page of the service without scripts. */
export function sendPlainPage(response: Response, title: string, heading: string, body: Html): void {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${style}
      </head>
      <body>
        <main>
          <h1>${heading}</h1>
          ${body}
        </main>
      </body>
    </html> `;
  response.set('Content-Security-Policy', policy).type('html').send(page.source);
}
