import { type Html, html } from '@taskgate/http';

/** Light colours are attributes, because some mail clients ignore style sheets. */
export const colours = {
  page: '#ffffff',
  text: '#1d2126',
  muted: '#5b646f',
  accent: '#1f5fc4',
  line: '#d5dae0',
  tint: '#eef2f8',
} as const;

const styleSheet = html`
  <style>
    :root {
      color-scheme: light dark;
    }
    @media (prefers-color-scheme: dark) {
      .page {
        background-color: #15181c !important;
        color: #e7eaee !important;
      }
      .muted {
        color: #a0aab6 !important;
      }
      .accent {
        color: #8ab4f8 !important;
      }
      .line {
        border-color: #3a4149 !important;
      }
      .tint {
        background-color: #232a33 !important;
      }
    }
  </style>
`;

const font = "font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";
const bodyStyle = `margin: 0; padding: 0; background-color: ${colours.page}; color: ${colours.text}; ${font}`;
const columnStyle = 'max-width: 36rem; margin: 0 auto; padding: 8px 20px 32px; overflow-wrap: anywhere';
const footerStyle = `margin-top: 32px; border-top: 1px solid ${colours.line}; color: ${colours.muted}; font-size: 14px`;

/** The HTML page of a mail. It loads nothing. @param title few mail clients show it */
export const page = (title: string, body: readonly Html[], footer: readonly Html[]): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${styleSheet}
      </head>
      <body class="page" style="${bodyStyle}">
        <div style="${columnStyle}">
          ${body} ${footer.length === 0 ? [] : html`<div class="muted line" style="${footerStyle}">${footer}</div>`}
        </div>
      </body>
    </html> `;
