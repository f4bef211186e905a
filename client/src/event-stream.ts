import { connectionError } from './http.ts';

/** An event of a stream, as WHATWG HTML describes it (Server-sent events). */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Milliseconds without a byte after which a stream counts as dead. The service sends a comment every 15 seconds.
 */
const silenceMs = 45_000;

/**
 * Reads the events of a stream until it ends. Stopping early ends the request.
 * @throws TaskgateError `NETWORK_ERROR` where it breaks, or falls silent; the reason of the signal
 */
export async function* readEvents(response: Response, signal?: AbortSignal): AsyncGenerator<ServerEvent, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let text = '';
  try {
    for (;;) {
      const { done, value = '' } = await within(reader.read());
      if (done) return;
      const blocks = (text + value).replaceAll('\r\n', '\n').split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } catch (error) {
    throw connectionError(error, signal);
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function within<Result>(coming: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${silenceMs / 1000} seconds`)), silenceMs);
  });
  return Promise.race([coming, silence]).finally(() => clearTimeout(timer));
}

function parse(block: string): ServerEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    // The value may have line separators of Unicode (U+2028, U+2029), which end no line here, but which a plain dot does not match.
    const [, field, value = ''] = /^([^:]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined;
}
