/** Of the structured answer and its text together. Cursor, totals and the operation's id come on top. */
const maxBytes = 62 * 1024;

/** Without null values. */
export function toResult(value: object) {
  const text = JSON.stringify(value, (_name, each: unknown) => each ?? undefined);
  return { content: [{ type: 'text' as const, text }], structuredContent: JSON.parse(text) as Record<string, unknown> };
}

const bytesIn = (value: object): number => Buffer.byteLength(JSON.stringify(toResult(value)));

export const fits = (value: object): boolean => bytesIn(value) < maxBytes;

/** The first entries, up to a number of bytes. */
function beginning<Entry>(entries: readonly Entry[], bytes: number, bytesOf: (entry: Entry) => number) {
  let sum = 0;
  const end = entries.findIndex((each) => (sum += bytesOf(each)) > bytes);
  return end === -1 ? entries : entries.slice(0, end);
}

interface Page<Node> {
  edges: readonly { cursor: string; node: Node }[];
  pageInfo: { hasNextPage: boolean };
}

/** Cuts a list at the last entry that fits. The result continues at its cursor. @param show its results must fit alone */
export function page<Node, Shown extends object>({ edges, pageInfo }: Page<Node>, show: (node: Node) => Shown) {
  const shown = edges.map(({ node }) => show(node));
  const entries = beginning(shown, maxBytes, bytesIn);
  const isWhole = entries.length === edges.length && !pageInfo.hasNextPage;
  return { entries, cursor: isWhole ? undefined : edges[entries.length - 1]?.cursor };
}

const bytesWithoutLists = (entry: unknown): number =>
  Buffer.byteLength(JSON.stringify(entry, (_name, each: unknown) => (Array.isArray(each) ? undefined : each)));

/** Cuts lists and texts. The lists in an entry are cut earlier than the list of the entries. */
function cut(value: unknown, bytes: number): unknown {
  if (typeof value === 'string')
    return value.length > bytes ? `${value.slice(0, bytes).replace(/[\ud800-\udbff]$/, '')}…` : value;
  if (Array.isArray(value)) return beginning(value, bytes, bytesWithoutLists).map((each) => cut(each, bytes / 8));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cut(each, bytes)]));
}

/** Cuts the longest lists and texts until the result fits. */
export function shortened<Value extends object>(value: Value): Value {
  let shown = value;
  for (let bytes = maxBytes; !fits(shown); bytes *= 0.75) shown = cut(value, bytes) as Value;
  return shown;
}
