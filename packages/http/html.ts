/** HTML whose texts are escaped. */
export class Html {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

type Value = string | Html | readonly Html[];

function sourceOf(value: Value): string {
  if (typeof value === 'string') return escaped(value);
  return value instanceof Html ? value.source : value.map(({ source }) => source).join('');
}

/** Tagged template. Escapes text values, also for quoted attributes. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(String.raw({ raw: parts }, ...values.map(sourceOf)));
