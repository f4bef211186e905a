import { counter, gauge } from '@taskgate/base';

const label = 'kind';

export const plannedMails = counter('taskgate_mails_planned_total', 'Planned mails, by kind.', label);
export const sentMails = counter('taskgate_mails_sent_total', 'Mails that the mail server accepted, by kind.', label);
export const skippedMails = counter(
  'taskgate_mails_skipped_total',
  'Planned mails that were not sent because their occasion no longer existed, by kind.',
  label,
);
export const failedMails = counter('taskgate_mails_failed_total', 'Mails that were given up, by kind.', label);
export const mailFailures = counter('taskgate_mail_failures_total', 'Failed attempts to send a mail, by kind.', label);

export const mailLag = gauge('taskgate_mail_lag_seconds', 'Delay of the oldest due mail that has not been tried.');
export const planLag = gauge('taskgate_mail_plan_lag_seconds', 'Age of the oldest change that has not been planned.');
