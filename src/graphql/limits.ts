import { Lexer, Source, TokenKind } from 'graphql';
import type { InputProblem } from '../kernel/errors.ts';

/**
 * What a client's document may be at most (OWASP ASVS 4.3.1), with a wide margin over what clients of a task list send: ten
 * levels of subtasks in a page of 500, every type of the schema by introspection, 1,000 ids written into the text.
 */
export const limits = {
  /** UTF-16 code units of the text. */
  length: 200_000,
  /** Lexical tokens of the text, comments among them: a document keeps those as well. */
  tokens: 5_000,
  /** Brackets of any kind within one another: selection sets, arguments, lists and objects of values. */
  nesting: 60,
  directives: 50,
  /** Fields within one another, fragments expanded. */
  depth: 20,
  /** Fields that are given another name. */
  aliases: 50,
  /** Fields of one selection set, fragments expanded and selections of the same name merged. */
  breadth: 200,
  /** Fields of all operations, fragments expanded. */
  fields: 5_000,
  /** Estimated objects in the response: see `cost.ts`. */
  cost: 200_000,
} as const;

/** The problem of a figure beyond its limit; none where it is within. */
export function beyond(limit: keyof typeof limits, figure: number, says: (figure: string) => string): InputProblem[] {
  const max = limits[limit];
  if (figure <= max) return [];
  return [{ path: 'query', message: `${says(format(figure))}; the limit is ${format(max)}` }];
}

/** Digits in groups of three. */
const format = (figure: number) => String(figure).replace(/\B(?=(\d{3})+$)/g, ',');

const opening = new Set<TokenKind>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const closing = new Set<TokenKind>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Holds a text against the limits that its tokens show. It comes before the parser, which
 * calls itself for every bracket: 10,000 of them would overflow the stack. It does not call itself.
 * @throws GraphQLError where the text holds what is no token (GraphQL specification, 2.1)
 */
export function checkText(text: string): InputProblem[] {
  const tooLong = beyond('length', text.length, (figure) => `is ${figure} characters long`);
  if (tooLong.length > 0) return tooLong;
  const lexer = new Lexer(new Source(text));
  let [tokens, directives, nesting, deepest] = [0, 0, 0, 0];
  for (let { kind } = lexer.advance(); kind !== TokenKind.EOF; { kind } = lexer.advance()) {
    if (kind === TokenKind.AT) directives++;
    else if (opening.has(kind)) deepest = Math.max(deepest, ++nesting);
    else if (closing.has(kind)) nesting--;
  }
  // The lexer passes over comments, but has them in its chain.
  for (let { prev } = lexer.token; prev && prev.kind !== TokenKind.SOF; { prev } = prev) tokens++;
  return [
    ...beyond('tokens', tokens, (figure) => `has ${figure} tokens`),
    ...beyond('nesting', deepest, (figure) => `has ${figure} brackets within one another`),
    ...beyond('directives', directives, (figure) => `has ${figure} directives`),
  ];
}
