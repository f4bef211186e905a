import { type ComponentChildren, Fragment, h, type VNode } from 'preact';

/** More elements would take too long. The rest is plain text. */
const maxElements = 500;

const target = String.raw`(?:https?:\/\/|mailto:)[^\s()<>]{1,2000}`;
/** Each alternative ends at the next sign of its kind, so the time grows linearly with the text. */
const inline = new RegExp(
  [
    '`(?<code>[^`\\n]+)`',
    String.raw`\[(?<label>[^[\]\n]{1,500})\]\((?<target>${target})\)`,
    String.raw`\*\*(?=\S)(?<strong>(?:[^*\n]|\*(?!\*)|\*(?=\*\*(?!\*)))+)\*\*`,
    String.raw`\*(?=\S)(?<emphasis>[^*\n]+)(?<=\S)\*`,
    String.raw`(?<![\p{L}\p{N}_])_(?=\S)(?<underlined>[^_\n]+)(?<=\S)_(?![\p{L}\p{N}_])`,
    String.raw`(?<address>https?:\/\/[^\s()<>]*[^\s()<>.,:;!?'"\]])`,
  ].join('|'),
  'gu',
);

interface Budget {
  elements: number;
}

const link = (address: string, children: ComponentChildren) =>
  h('a', { href: address, target: '_blank', rel: 'noopener' }, children);

function inlineOf(text: string, budget: Budget): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const { index, 0: match, groups = {} } of text.matchAll(inline)) {
    if ((budget.elements -= 1) < 0) break;
    const { code, label, target: address, strong, emphasis = groups['underlined'] } = groups;
    parts.push(text.slice(end, index));
    if (code !== undefined) parts.push(h('code', null, code));
    else if (label !== undefined && address !== undefined) parts.push(link(address, label));
    else if (strong !== undefined) parts.push(h('strong', null, inlineOf(strong, budget)));
    else if (emphasis !== undefined) parts.push(h('em', null, inlineOf(emphasis, budget)));
    else parts.push(link(match, match));
    end = index + match.length;
  }
  return [...parts, text.slice(end)];
}

const itemPattern = /^( {0,12})(?:[-*+]|(\d{1,9})[.)])[ \t]+(.*)$/;

/** Renders paragraphs, lists, emphasis, code and links. Everything else is text. */
export function Markdown({ text }: { text: string }) {
  const lines = text.split(/\r?\n/);
  const budget: Budget = { elements: maxElements };
  const blocks: VNode[] = [];
  let at = 0;
  const take = (belongs: (line: string) => boolean): readonly string[] => {
    const start = at;
    while (at < lines.length && belongs(lines[at] ?? '')) at += 1;
    return lines.slice(start, at);
  };
  const isFence = (line: string) => line.startsWith('```');
  const isItem = (line: string) => itemPattern.test(line);
  while (at < lines.length && budget.elements > 0) {
    const line = lines[at] ?? '';
    budget.elements -= 1;
    if (line.trim() === '') take((each) => each.trim() === '');
    else if (isFence(line)) {
      at += 1;
      blocks.push(h('pre', null, take((each) => !isFence(each)).join('\n')));
      at += 1;
    } else if (isItem(line)) {
      const isOrdered = itemPattern.exec(line)?.[2] !== undefined;
      const items = take((each) => {
        const item = itemPattern.exec(each);
        return item !== null && (item[2] !== undefined) === isOrdered && (budget.elements -= 1) > 0;
      }).map((each) => itemPattern.exec(each) ?? []);
      blocks.push(
        h(
          isOrdered ? 'ol' : 'ul',
          isOrdered ? { start: Number(items[0]?.[2]) } : {},
          items.map(([, indent = '', , content = '']) =>
            h('li', { dir: 'auto', 'data-level': Math.min(3, indent.length >> 1) }, inlineOf(content, budget)),
          ),
        ),
      );
    } else {
      const paragraph = take((each) => each.trim() !== '' && !isFence(each) && !isItem(each));
      blocks.push(h('p', { dir: 'auto' }, inlineOf(paragraph.join('\n'), budget)));
    }
  }
  if (at < lines.length) blocks.push(h('p', { dir: 'auto' }, lines.slice(at).join('\n')));
  return h(Fragment, null, blocks);
}
