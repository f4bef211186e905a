import { access, readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** Reads a file of the repository, by its path from the root. @throws if it is missing */
export const fileOf = (file: string): Promise<string> => readFile(path.join(root, file), 'utf8');

/** @throws if the root has no such file or folder */
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

/** The section below a heading, up to the next one of its level. @throws if the heading is missing */
export function sectionOf(markdown: string, heading: string): string {
  const [, after] = markdown.split(`\n${heading}\n`);
  const [level = ''] = /^#+/.exec(heading) ?? [];
  if (after === undefined) throw new Error(`there is no heading ${heading}`);
  return after.split(`\n${level} `)[0] ?? '';
}

/** A link, and the code spans between it and the next link. */
export interface Reference {
  /** Path from the root. */
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

/** The anchors of a page's headings, as GitHub makes them. */
export const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Whether a test file has a test or group with that name. */
export function hasTest(source: string, name: string): boolean {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`\\(\\s*(['"\`])${escaped}\\1,`).test(source);
}
