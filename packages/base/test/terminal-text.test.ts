import { describe, expect, test } from '@jest/globals';
import { terminalText } from '../terminal-text.ts';

const time = new Date(2027, 0, 2, 3, 4, 5).getTime();
const format = (line: object, all = false) =>
  terminalText(`${JSON.stringify({ level: 30, time, pid: 1, hostname: 'here', ...line })}\n`, all);

describe('a line of the log in a terminal', () => {
  test('has time, level, message and values', () => {
    expect(format({ ms: 5, step: 'port', what: 'two words', msg: 'a step is done' })).toBe(
      '03:04:05 info a step is done ms=5 step=port what="two words"\n',
    );
  });

  test('has the stack of an error in separate lines', () => {
    expect(format({ level: 50, msg: 'failed', error: { message: 'x', stack: 'Error: x\n    at y' } })).toBe(
      '03:04:05 error failed\nError: x\n    at y\n',
    );
    expect(format({ level: 50, msg: 'failed', error: 'x' })).toBe('03:04:05 error failed\n"x"\n');
  });

  test('has no character that controls the terminal', () => {
    const text = format({ email: 'a\u001b[2J\u009b2J\u202eb', msg: 'x', error: { stack: 'E\u001b[2J' } });
    // eslint-disable-next-line no-control-regex -- the test looks for them
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test.each(['request', 'operation'])('is left out for each successful %s, unless LOG_LEVEL is debug', (msg) => {
    expect(format({ msg, status: 200 })).toBe('');
    expect(format({ msg, status: 200 }, true)).toContain('status=200');
    expect(format({ level: 50, msg, status: 500 })).toContain('status=500');
  });

  test('is left out for a one-time code, which is printed beside the log', () => {
    expect(format({ msg: 'one-time code', oneTimeCode: '123456' }, true)).toBe('');
  });
});
