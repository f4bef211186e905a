import { render } from 'preact';
import { App } from './app/app.tsx';
import { followClock } from './app/days.ts';
import { followKeys } from './app/keys.ts';
import { followPrinting } from './app/printing.ts';
import { followLinks } from './app/router.ts';
import { followTabs, openSession } from './app/session.ts';

followClock();
followLinks();
followTabs();
followKeys();
followPrinting();
const container = document.getElementById('console');
if (container) render(<App />, container);
void openSession();
