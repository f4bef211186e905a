import { access, readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** @throws if the repository has no such file */
export const fileOf = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');

export const requireFile = (file: string): Promise<void> => access(path.join(root, file));

/** The cells of each row of a page's tables, without their heads. */
export function rowsOf(markdown: string): string[][] {
  const isRow = (line: string | undefined) => line?.startsWith('|') ?? false;
  const isRule = (line: string | undefined) => /^\|( *:?-+:? *\|)+$/.test(line ?? '');
  const lines = markdown.split('\n');
  return lines
    .filter((line, index) => isRow(line) && !isRule(line) && !isRule(lines[index + 1]))
    .map((line) => line.slice(1, -1).split(/(?<!\\)\|/))
    .map((cells) => cells.map((cell) => cell.trim()));
}

/** The section up to the next heading of its level. @throws if the heading is missing */
export function sectionOf(markdown: string, heading: string): string {
  const [, after] = markdown.split(`\n${heading}\n`);
  const [level = ''] = /^#+/.exec(heading) ?? [];
  if (after === undefined) throw new Error(`there is no heading ${heading}`);
  return after.split(`\n${level} `)[0] ?? '';
}

export interface Reference {
  file: string;
  /** Anchor of a heading. Empty without one. */
  anchor: string;
  names: string[];
}

/** The links of a text to files. @param page the path of its page from the root */
export function referencesOf(text: string, page: string): Reference[] {
  const pieces = [...text.matchAll(/\[[^\]]*\]\(([^)#]*)(?:#([^)]*))?\)|`([^`]+)`/g)];
  const references: Reference[] = [];
  for (const [, target, anchor = '', name] of pieces) {
    if (name !== undefined) references.at(-1)?.names.push(name);
    else if (target !== undefined && !target.includes('://')) {
      references.push({ file: target === '' ? page : path.join(path.dirname(page), target), anchor, names: [] });
    }
  }
  return references;
}

export const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

export function hasTest(source: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`\\(\\s*(['"\`])${escaped}\\1,`).test(source);
}
