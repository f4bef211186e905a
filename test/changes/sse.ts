import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Client } from '../kit/client.ts';
import { Inbox } from './stream.ts';

export interface SentEvent {
  id?: string;
  event?: string;
  data?: string;
  comment?: string;
}

export class EventStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events = new Inbox<SentEvent>('an event of the stream');
  readonly body: Promise<string>;
  readonly #end: () => void;
  readonly #pause: (paused: boolean) => void;

  private constructor(
    { statusCode = 0, headers }: IncomingMessage,
    body: Promise<string>,
    end: () => void,
    pause: (paused: boolean) => void,
  ) {
    this.status = statusCode;
    this.headers = headers;
    this.body = body;
    this.#end = end;
    this.#pause = pause;
  }

  static open(
    service: { url: string },
    { cookie }: Pick<Client, 'cookie'>,
    path: string,
    headers: Record<string, string> = {},
  ): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const own = { Accept: 'text/event-stream', ...(cookie && { Cookie: cookie }), ...headers };
      const sent = request(`${service.url}${path}`, { headers: own, agent: false }, (response) => {
        let text = '';
        const whole = new Promise<string>((done) => {
          response.on('close', () => {
            stream.events.fail(new Error('the stream of events has ended'));
            done(text);
          });
        });
        const stream = new EventStream(
          response,
          whole,
          () => response.destroy(),
          (paused) => void (paused ? response.pause() : response.resume()),
        );
        let rest = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          const blocks = `${rest}${part}`.split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) stream.events.add(parse(block));
        });
        resolve(stream);
      });
      sent.on('error', reject).end();
    });
  }

  /** Returns the next event. Skips comments and blocks without data. */
  async take(): Promise<SentEvent> {
    for (;;) {
      const event = await this.events.take();
      if (event.data !== undefined) return event;
    }
  }

  pause = () => this.#pause(true);
  resume = () => this.#pause(false);
  close = () => this.#end();
}

function parse(block: string): SentEvent {
  const event: SentEvent = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
    if (name === '') event.comment = value;
    else if (name === 'id' || name === 'event' || name === 'data') event[name] = value;
  }
  return event;
}
