import { connectionError } from './http.ts';

/** A server-sent event (WHATWG HTML). */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** The service sends a comment every 15 seconds. */
const idleTimeoutMs = 45_000;

/**
 * Reads events until the stream ends. Stopping early ends the request.
 * @throws TaskgateError `NETWORK_ERROR` if the stream breaks or falls silent; the reason of the signal
 */
export async function* readEvents(response: Response, signal?: AbortSignal): AsyncGenerator<ServerEvent, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) return;
  let text = '';
  try {
    for (;;) {
      const { done, value = '' } = await withIdleTimeout(reader.read());
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

function withIdleTimeout<Result>(promise: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no data for ${idleTimeoutMs / 1000} seconds`)), idleTimeoutMs);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

function parse(block: string): ServerEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    // U+2028 and U+2029 do not end a line here, but a plain dot does not match them.
    const [, field, value = ''] = /^([^:]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length > 0 ? { event, data: data.join('\n') } : undefined;
}
