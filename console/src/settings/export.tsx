import { currentAccount } from '../app/session.ts';
import { texts } from '../texts.ts';

export const Export = () => (
  <>
    <p>{texts.exportHint}</p>
    <a class="button primary" href={`/api/v2/export?account=${currentAccount().id}`} download="taskgate-export.json">
      {texts.download}
    </a>
  </>
);
