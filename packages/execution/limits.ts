import { Lexer, Source, TokenKind } from 'graphql';
import type { InputProblem } from '@taskgate/base';

/** Limits of client documents (OWASP ASVS 4.3.1), far above real clients: ten levels of subtasks in a page of 500. */
export const limits = {
  /** In UTF-16 code units. */
  length: 200_000,
  /** Of a name: error messages repeat it. */
  name: 255,
  /** Includes comments. */
  tokens: 5_000,
  nesting: 60,
  directives: 50,
  lines: 10_000,
  /** Levels of nested fields, with fragments expanded. */
  depth: 20,
  aliases: 50,
  /** Fields in a merged selection set, with fragments expanded. */
  breadth: 200,
  /** Fields of the whole document, with fragments expanded. */
  fields: 5_000,
  cost: 200_000,
} as const;

export function limitProblems(
  limit: keyof typeof limits,
  figure: number,
  describe: (figure: string) => string,
): InputProblem[] {
  const max = limits[limit];
  return figure <= max ? [] : [{ path: 'query', message: `${describe(format(figure))}; the limit is ${format(max)}` }];
}

const format = (figure: number) => String(figure).replace(/\B(?=(\d{3})+$)/g, ',');

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Without recursion: the parser recurses for each bracket, and 10,000 would overflow the stack.
 * @throws GraphQLError for an invalid token (GraphQL specification, 2.1)
 */
export function checkText(text: string): InputProblem[] {
  const tooLong = limitProblems('length', text.length, (figure) => `is ${figure} characters long`);
  if (tooLong.length > 0) return tooLong;
  const lexer = new Lexer(new Source(text));
  let [tokens, directives, nesting, deepest, longest] = [0, 0, 0, 0, 0];
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    if (kind === TokenKind.AT) directives++;
    else if (kind === TokenKind.NAME) longest = Math.max(longest, lexer.token.value.length);
    else if (opening.has(kind)) deepest = Math.max(deepest, ++nesting);
    else if (closing.has(kind)) nesting--;
  }
  // The lexer skips comments, but links them.
  for (let { prev } = lexer.token; prev && prev.kind !== TokenKind.SOF; { prev } = prev) tokens++;
  return [
    ...limitProblems('tokens', tokens, (figure) => `has ${figure} tokens`),
    ...limitProblems('nesting', deepest, (figure) => `has ${figure} nested brackets`),
    ...limitProblems('directives', directives, (figure) => `has ${figure} directives`),
    ...limitProblems('name', longest, (figure) => `has a name of ${figure} characters`),
    ...limitProblems('lines', lexer.line, (figure) => `has ${figure} lines`),
  ];
}
