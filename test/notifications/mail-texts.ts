const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

/** The visible text of HTML in one line, with links as in plain text. */
export function visibleText(html: string): string {
  const [, body = ''] = /<body[^>]*>(.*)<\/body>/s.exec(html) ?? [];
  return body
    .replaceAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)<\/a>/g, (_link, url: string, label: string) =>
      url === label ? url : `${label}: ${url}`,
    )
    .replaceAll(/<\/?(bdi|span)[^>]*>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(#?\w+);/g, (entity, name: string) => entities[name] ?? entity)
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The plain text in one line, without underlines, bullets and the footer's separator. */
export const plainTextOf = (text: string) =>
  text
    .replaceAll(/^(=+|-+|-- )$/gm, '')
    .replaceAll(/^- /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
