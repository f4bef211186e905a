import { render } from 'preact';
import { App } from './app.tsx';
import { followClock } from './app/days.ts';
import { followPrinting } from './app/printing.ts';
import { followLinks } from './app/router.ts';
import { followTabs, openSession } from './app/session.ts';
import { followKeys } from './layout/keys.ts';
import { followFocus } from './ui/lost-focus.ts';

followClock();
followLinks();
followTabs();
followKeys();
followFocus();
followPrinting();
const container = document.getElementById('console');
if (container) render(<App />, container);
void openSession();
