import { theAccount } from '../app/session.ts';
import { texts } from '../texts.ts';

/** All that the service holds of the account, as a file. */
export const Export = () => (
  <>
    <p>{texts.exportHint}</p>
    <a class="button primary" href={`/api/v2/export?account=${theAccount().id}`} download="taskgate-export.json">
      {texts.download}
    </a>
  </>
);
