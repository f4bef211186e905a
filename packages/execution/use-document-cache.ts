import { Source } from 'graphql';
import { type DocumentCache, ownCopy } from './document-cache.ts';
import type { CheckPlugin } from './envelop.ts';

/** Keeps the valid documents of signed-in clients. */
export const useDocumentCache = (documents: DocumentCache): CheckPlugin => ({
  onParse({ context: { sender }, parseFn, setParseFn }) {
    setParseFn(({ body }) => {
      const kept = documents.get(body);
      if (kept) return kept.document;
      sender.onNewDocument(body.length);
      return parseFn(new Source(sender.userId === undefined ? body : ownCopy(body)));
    });
  },
  onValidate({ context, params: { documentAST: document }, setResult }) {
    const text = document.loc?.source.body ?? '';
    if (documents.peek(text)?.document === document) return setResult([]);
    if (context.sender.userId === undefined) return;
    return ({ valid }) => {
      if (valid) documents.set(text, { document, fields: context.fields });
    };
  },
});
