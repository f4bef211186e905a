// An ESLint rule against phrases in comments, descriptions and Markdown that a reader must take apart.

/** Each phrase with a plain alternative. */
const phrases = [
  [
    /\b(?:what|whatever) (?:is|are|was|were|has|have|had|it|they|comes?|goes|does|did|makes|needs|takes|belongs|depends|follows)\b/gi,
    'a noun, such as “the changed fields”',
  ],
  [
    /\bwhoever\b|\bwho(?= (?:is|are|was|were|has|have|had|may|must|can|does|did)\b)(?<=(?:^|[.:;(] ?)who)/gim,
    'a noun, such as “the caller” or “members”',
  ],
  [
    /\b(?:null|undefined|empty|false|true|unless|and|or)?,? ?\bwhere (?:it|they|there|none|nothing|no|one|that|this|some|any|nobody|all|each|not|only)\b/gi,
    '“if”, such as “null if there is none”',
  ],
  [
    /\b(?:those (?:of|that|which|who|with|without|in|to|for|from|by)|that (?:which|who)|that of)\b/gi,
    'the noun, such as “the fields of a task”',
  ],
  [/\b(?:of|for|by) (?:which|whom|what)\b/gi, 'a second sentence, or “that”'],
  [/\b(?:but|save) for\b/gi, '“except”'],
  [/\bas far as\b/gi, '“if” or “the visible part of”'],
  [/\banew\b/gi, '“again”'],
  [/\blikewise\b/gi, '“also”, or repeat the verb'],
  [/\bmeanwhile\b/gi, '“at the same time”, “until then”'],
  [/\b(?:thereby|therein|hence|be it|so as)\b/gi, '“so”, “thus”'],
  [/\ball that\b(?! are\b)/gi, '“everything”, or the noun'],
  [/\b(?:by|of) itself\b/gi, '“alone”, “automatically”'],
  [/\bin (?:the )?place of\b/gi, '“instead of”'],
];

const withoutCode = (text) => text.replace(/`[^`\n]*`|\{@link [^}]*\}|https?:\S+/g, (code) => ' '.repeat(code.length));

/** @returns {{ index: number, found: string, plain: string }[]} */
const problemsIn = (text) =>
  phrases.flatMap(([pattern, plain]) =>
    [...withoutCode(text.replace(/\n\s*\*/g, (indent) => ' '.repeat(indent.length))).matchAll(pattern)].map(
      ({ index, 0: found }) => ({ index, found: found.trim(), plain }),
    ),
  );

/** Checks comments, texts of properties such as `description`, and text nodes of Markdown. */
export const plainEnglish = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const { sourceCode } = context;
    const check = (text, start) => {
      for (const { index, found, plain } of problemsIn(text)) {
        context.report({
          loc: sourceCode.getLocFromIndex(start + index),
          message: `Instead of “{{found}}” write {{plain}}.`,
          data: { found, plain },
        });
      }
    };
    const checkLiteral = (node) => check(sourceCode.getText(node), node.range[0]);
    return {
      Program() {
        for (const { value, range } of sourceCode.getAllComments()) {
          if (!/^\s*eslint-/.test(value)) check(value, range[0] + 2);
        }
      },
      'Property[key.name=/^(description|summary)$/] > :matches(Literal, TemplateLiteral)': checkLiteral,
      'CallExpression[callee.property.name="describe"] > Literal': checkLiteral,
      text: (node) => check(node.value, node.position.start.offset),
    };
  },
};
