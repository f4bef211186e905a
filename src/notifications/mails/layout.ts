import { type Html, html } from '@taskgate/http';
import { colours, page } from './page.ts';
import { inLine, nameByUser, shortened, writtenByUser } from './text.ts';

export interface Mail {
  /** One line of at most 120 UTF-16 code units. */
  subject: string;
  text: string;
  html: string;
}

/** A part of a mail. Both forms are created together, so they have the same text. */
export interface Block {
  text: string;
  html: Html;
}

export interface Link {
  url: string;
  label: string;
}

export interface Item {
  name: string;
  note?: string | undefined;
}

const maxSubjectLength = 120;

/** In UTF-16 code units. */
const maxItemLength = 200;

/** @param content its footer gives the reason for the mail, and how to unsubscribe */
export function mailOf(content: { subject: string; body: readonly Block[]; footer?: readonly Block[] }): Mail {
  const { body, footer = [] } = content;
  const subject = shortened(inLine(content.subject), maxSubjectLength);
  const [text, footerText] = [textOf(body), textOf(footer)];
  return {
    subject,
    // Signature separator (RFC 3676, 4.3).
    text: footer.length === 0 ? `${text}\n` : `${text}\n\n-- \n${footerText}\n`,
    html: page(subject, htmlOf(body), htmlOf(footer)).source,
  };
}

const textOf = (blocks: readonly Block[]) => blocks.map(({ text }) => text).join('\n\n');
const htmlOf = (blocks: readonly Block[]) => blocks.map((block) => block.html);

export const link = (url: string, label = url): Link => ({ url, label });

/** Tagged template. Text values stay within one line. */
export function paragraph(parts: TemplateStringsArray, ...values: (string | Link)[]): Block {
  const shown = values.map((value) => (typeof value === 'string' ? inLine(value) : value));
  const texts = shown.map((value) => (typeof value === 'string' ? value : textOfLink(value)));
  const sources = shown.map((value) => (typeof value === 'string' ? isolated(value) : htmlOfLink(value)));
  return {
    text: String.raw({ raw: parts }, ...texts),
    html: html`<p style="margin: 16px 0">${html(parts, ...sources)}</p>`,
  };
}

const isolated = (text: string) => html`<bdi>${text}</bdi>`;

const textOfLink = ({ url, label }: Link) => (label === url ? url : `${label}: ${url}`);

const htmlOfLink = ({ url, label }: Link) =>
  html`<a class="accent" href="${url}" style="color: ${colours.accent}">${label}</a>`;

export function title(words: string): Block {
  const line = writtenByUser(words);
  return {
    text: underlined(line, '='),
    html: html`<h1 style="margin: 16px 0; font-size: 24px; line-height: 1.25">${isolated(line)}</h1>`,
  };
}

export function heading(words: string): Block {
  const line = inLine(words);
  return {
    text: underlined(line, '-'),
    html: html`<h2 style="margin: 32px 0 8px; font-size: 18px; line-height: 1.3">${line}</h2>`,
  };
}

/** Subtitle of a task in a mail with several. */
export function subtitle(words: string): Block {
  const line = shortened(writtenByUser(words), maxItemLength);
  return {
    text: underlined(line, '-'),
    html: html`<h2 style="margin: 32px 0 8px; font-size: 18px; line-height: 1.3">${isolated(line)}</h2>`,
  };
}

/** Text that somebody wrote. @param line by `inLine`, without links */
export function said(author: string, line: string): Block {
  const name = nameByUser(author);
  return {
    text: `${name}: ${line}`,
    html: html`<p style="margin: 8px 0">
      <span class="muted" style="color: ${colours.muted}">${isolated(name)}:</span> ${isolated(line)}
    </p>`,
  };
}

/** @param stroke one character; lines above 60 wrap */
const underlined = (line: string, stroke: string) => `${line}\n${stroke.repeat(Math.min(line.length, 60))}`;

export function facts(values: Readonly<Record<string, string>>): Block {
  const rows = Object.entries(values).map(([name, value]) => ({ name: `${name}:`, value: writtenByUser(value) }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const cell = 'padding: 2px 0; text-align: left; vertical-align: top; font-weight: normal';
  return {
    text: rows.map(({ name, value }) => `${name.padEnd(width)} ${value}`).join('\n'),
    html: html`<table style="margin: 16px 0; border-spacing: 0">
      ${rows.map(
        ({ name, value }) =>
          html`<tr>
            <th
              scope="row"
              class="muted"
              style="${cell}; padding-right: 16px; white-space: nowrap; color: ${colours.muted}"
            >
              ${name}
            </th>
            <td style="${cell}">${isolated(value)}</td>
          </tr>`,
      )}
    </table>`,
  };
}

export function code(digits: string): Block {
  const line = inLine(digits);
  const style = `margin: 16px 0; padding: 12px 16px; background-color: ${colours.tint}; border-radius: 6px`;
  const font = 'font: 700 32px/1.3 ui-monospace, Consolas, Menlo, monospace; letter-spacing: 0.2em';
  return { text: line, html: html`<p class="tint" style="${style}; ${font}">${line}</p>` };
}

export function list(name: string, items: readonly Item[]): Block {
  const lines = items.map((item) => ({
    name: shortened(writtenByUser(item.name), maxItemLength),
    note: inLine(item.note ?? ''),
  }));
  const line = nameByUser(name);
  return {
    text: [line, ...lines.map((each) => `- ${[each.name, each.note].filter(Boolean).join(' · ')}`)].join('\n'),
    html: html`<h3 class="muted" style="margin: 16px 0 4px; font-size: 16px; color: ${colours.muted}">
        ${isolated(line)}
      </h3>
      <ul style="margin: 0 0 16px; padding-left: 20px">
        ${lines.map((each) => html`<li style="margin: 4px 0">${isolated(each.name)}${noteOf(each.note)}</li> `)}
      </ul>`,
  };
}

export function lists(items: readonly (Item & { under: string })[]): Block[] {
  const names = new Set(items.map(({ under }) => under));
  return [...names].map((name) =>
    list(
      name,
      items.filter(({ under }) => under === name),
    ),
  );
}

const noteOf = (note: string): Html | readonly Html[] =>
  note === '' ? [] : html`<span class="muted" style="color: ${colours.muted}"> · ${note}</span>`;
