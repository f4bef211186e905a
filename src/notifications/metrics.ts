import { logFailure } from '../database/unavailable-log.ts';
import { counter, gauge } from '../kernel/metrics.ts';

/** By what the deliveries of a kind are counted. */
const label = 'kind';

export const plannedMails = counter('taskgate_mails_planned_total', 'Mails that were planned, by kind.', label);
export const sentMails = counter('taskgate_mails_sent_total', 'Mails that the mail server has taken, by kind.', label);
export const skippedMails = counter(
  'taskgate_mails_skipped_total',
  'Planned mails that were not sent, as there was no reason for them any more, by kind.',
  label,
);
export const failedMails = counter('taskgate_mails_failed_total', 'Mails that were given up, by kind.', label);
export const mailFailures = counter(
  'taskgate_mail_failures_total',
  'Attempts to send a mail that failed, by kind.',
  label,
);

export const mailLag = gauge(
  'taskgate_mail_lag_seconds',
  'For how long the oldest mail that is to be sent, and has not been tried, has been late.',
);
export const planLag = gauge(
  'taskgate_mail_plan_lag_seconds',
  'For how long the oldest change has not been planned for.',
);

/** Reads a figure of the database for a scrape; while the database is unavailable there is none. */
export const figureOf = (name: string, read: () => Promise<number>) => async (): Promise<number> => {
  try {
    return await read();
  } catch (error) {
    logFailure(error, `the figure of ${name} could not be read`);
    return Number.NaN;
  }
};
