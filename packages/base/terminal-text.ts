import { pino } from 'pino';

interface Line extends Record<string, unknown> {
  level: number;
  time: number;
  msg: string;
}

const infoLevel = 30;
const processFields = new Set(['pid', 'hostname']);
const requestMessages = new Set(['request', 'operation']);

/** Characters that move the cursor, or change the colours or the direction of the text. */
const unprintable = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

const printable = (text: string) =>
  text.replaceAll(unprintable, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);

const textOf = (value: unknown) =>
  typeof value === 'string' && /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);

/**
 * Formats a line of the log for people.
 * @param all whether to show successful requests
 * @returns '' for a hidden line
 */
export function terminalText(json: string, all: boolean): string {
  const { level, time, msg, error, oneTimeCode, ...rest } = JSON.parse(json) as Line;
  if (oneTimeCode !== undefined || (!all && level <= infoLevel && requestMessages.has(msg))) return '';
  const values = Object.entries(rest).filter(([name]) => !processFields.has(name));
  const pairs = values.map(([name, value]) => `${name}=${textOf(value)}`);
  const stack = (error as { stack?: string } | undefined)?.stack;
  const errorText = error === undefined ? '' : `\n${stack ?? JSON.stringify(error)}`;
  const clock = new Date(time).toLocaleTimeString('sv');
  return `${printable(`${[clock, pino.levels.labels[level] ?? level, msg, ...pairs].join(' ')}${errorText}`)}\n`;
}
