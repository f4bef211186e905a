import { pino } from 'pino';

/**
 * The process' logger: JSON lines on standard error, so that standard output keeps to the ready line.
 * Passwords, codes and cookies never reach it; what might carry one by mistake is cut out here.
 */
export const log = pino(
  {
    level: 'info',
    // Otherwise an error, whose message and stack are not its own enumerable properties, is logged as {}.
    serializers: { error: pino.stdSerializers.err },
    redact: ['password', 'code', 'cookie', '*.password', '*.code', '*.cookie', '*["set-cookie"]'],
  },
  pino.destination({ dest: 2, sync: true }),
);
