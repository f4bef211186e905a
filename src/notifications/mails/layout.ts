import { type Html, html } from './html.ts';
import { colours, page } from './page.ts';
import { inLine, nameByUser, shortened, writtenByUser } from './text.ts';

/** A mail without its address: the same content as plain text and as HTML. */
export interface Mail {
  /** One line of at most 120 UTF-16 code units. */
  subject: string;
  text: string;
  html: string;
}

/** A piece of content, as plain text and as HTML. Both are made in one place, so that they say the same. */
export interface Block {
  text: string;
  html: Html;
}

export interface Link {
  url: string;
  label: string;
}

/** A name with what is to know of it. */
export interface Item {
  name: string;
  /** Undefined: nothing. */
  note?: string | undefined;
}

const maxSubjectLength = 120;

/** UTF-16 code units of an item of a list: the task has the rest. */
const maxItemLength = 200;

/**
 * Makes a mail of its content.
 * @param content whose footer says why the mail comes, and how to have no more of its kind
 */
export function mailOf(content: { subject: string; body: readonly Block[]; footer?: readonly Block[] }): Mail {
  const { body, footer = [] } = content;
  const subject = shortened(inLine(content.subject), maxSubjectLength);
  const [text, footerText] = [textOf(body), textOf(footer)];
  return {
    subject,
    // The separator of RFC 3676, 4.3: what follows it is not what the mail has to say.
    text: footer.length === 0 ? `${text}\n` : `${text}\n\n-- \n${footerText}\n`,
    html: page(subject, htmlOf(body), htmlOf(footer)).source,
  };
}

const textOf = (blocks: readonly Block[]) => blocks.map(({ text }) => text).join('\n\n');
const htmlOf = (blocks: readonly Block[]) => blocks.map((block) => block.html);

/** A link. Plain text has the label before the URL; without a label, the URL is all that is shown. */
export const link = (url: string, label = url): Link => ({ url, label });

/** A paragraph, by a tagged template. What is put into it are links, and texts, which stay within its line. */
export function paragraph(parts: TemplateStringsArray, ...values: (string | Link)[]): Block {
  const shown = values.map((value) => (typeof value === 'string' ? inLine(value) : value));
  const texts = shown.map((value) => (typeof value === 'string' ? value : textOfLink(value)));
  const sources = shown.map((value) => (typeof value === 'string' ? isolated(value) : htmlOfLink(value)));
  return {
    text: String.raw({ raw: parts }, ...texts),
    html: html`<p style="margin: 16px 0">${html(parts, ...sources)}</p>`,
  };
}

/** Text of whatever direction, which changes that of nothing around it. */
const isolated = (text: string) => html`<bdi>${text}</bdi>`;

const textOfLink = ({ url, label }: Link) => (label === url ? url : `${label}: ${url}`);

const htmlOfLink = ({ url, label }: Link) =>
  html`<a class="accent" href="${url}" style="color: ${colours.accent}">${label}</a>`;

/** What the mail is about, in a few words. */
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

/** @param stroke one character. A line of more than 60 wraps in most windows */
const underlined = (line: string, stroke: string) => `${line}\n${stroke.repeat(Math.min(line.length, 60))}`;

/** What is called by a name each, one below the other. */
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

/** A code that is to be typed in: large, on a separate line. */
export function code(digits: string): Block {
  const line = inLine(digits);
  const style = `margin: 16px 0; padding: 12px 16px; background-color: ${colours.tint}; border-radius: 6px`;
  const font = 'font: 700 32px/1.3 ui-monospace, Consolas, Menlo, monospace; letter-spacing: 0.2em';
  return { text: line, html: html`<p class="tint" style="${style}; ${font}">${line}</p>` };
}

/** Items under a name that a user has given them. */
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

/** Items grouped by names, each group as {@link list}, in the order in which the names first occur. */
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
