import { expect, test } from '@jest/globals';
import { Markdown } from '../../console/src/details/markdown.ts';

interface Element {
  readonly type: unknown;
  readonly props: Readonly<Record<string, unknown>>;
}

const isElement = (value: unknown): value is Element => typeof value === 'object' && value !== null && 'props' in value;

const elements: Element[] = [];

/** Returns the tags with their texts. Attributes other than `href` are left out. */
function show(node: unknown): string {
  if (Array.isArray(node)) return node.map(show).join('');
  if (!isElement(node)) return typeof node === 'string' ? node : '';
  const content = show(node.props['children']);
  if (typeof node.type !== 'string') return content;
  elements.push(node);
  const { href } = node.props;
  return `<${node.type}${typeof href === 'string' ? ` ${href}` : ''}>${content}</${node.type}>`;
}

const html = (text: string) => show(Markdown({ text }));

test.each([
  ['two\nlines\n\nanother', '<p>two\nlines</p><p>another</p>'],
  ['**bold** *soft* _too_ `a*b*`', '<p><strong>bold</strong> <em>soft</em> <em>too</em> <code>a*b*</code></p>'],
  ['**bold and *soft***', '<p><strong>bold and <em>soft</em></strong></p>'],
  ['- one\n- *two*\n1. three', '<ul><li>one</li><li><em>two</em></li></ul><ol><li>three</li></ol>'],
  ['```\n*code*\n```\nafter', '<pre>*code*</pre><p>after</p>'],
  ['see https://example.org/a?b=1.', '<p>see <a https://example.org/a?b=1>https://example.org/a?b=1</a>.</p>'],
  ['[a *wiki*](https://example.org)', '<p><a https://example.org>a *wiki*</a></p>'],
  ['2 * 3 * 4 and snake_case_name', '<p>2 * 3 * 4 and snake_case_name</p>'],
])('shows %j', (text, expected) => {
  expect(html(text)).toBe(expected);
});

test.each([
  '<img src=x onerror=alert(1)>',
  '![image](https://example.org/a.png "x")',
  '[click](javascript:alert(1))',
  '[click](data:text/html,<b>)',
  '# heading',
])('leaves %j as text, or makes it a plain link', (text) => {
  elements.length = 0;
  html(text);
  expect(elements.map(({ type }) => type).filter((type) => !['p', 'a'].includes(String(type)))).toEqual([]);
  const addresses = elements.map(({ props }) => props['href']).filter((href) => typeof href === 'string');
  expect(addresses.filter((href) => !href.startsWith('https://'))).toEqual([]);
});

test('links open elsewhere, and tell nobody where they were', () => {
  elements.length = 0;
  html('https://example.org [a](mailto:a@example.org)');
  const links = elements.filter(({ type }) => type === 'a').map(({ props }) => props);
  expect(links).toHaveLength(2);
  for (const props of links) expect(props).toMatchObject({ rel: 'noopener', target: '_blank' });
});

test.each([
  '*a',
  '**a ',
  '**a*',
  '_a ',
  '`',
  '[',
  '[a](http://',
  '[a](http://x ',
  '- *a*\n',
  '***',
  'http://.',
  '* ',
  '\n',
])('a hostile text of %j is a bounded number of elements, and keeps its characters', (part) => {
  elements.length = 0;
  const text = part.repeat(Math.floor(16_384 / part.length));
  const shown = html(text).replaceAll(/<[^>]*>/g, '');
  expect(elements.length).toBeLessThanOrEqual(1_002);
  const letters = (each: string) => each.replaceAll(/[^a-z]/g, '').length;
  expect(letters(shown)).toBe(letters(text.replaceAll(/<[^>]*>/g, '')));
});
