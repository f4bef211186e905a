import { useEffect, useState } from 'preact/hooks';
import { taskIdIn } from '../app/paths.ts';
import { route } from '../app/router.ts';
import { Details } from '../details/details.tsx';
import { sendAbandonedDrafts } from '../details/drafts.ts';
import { Page } from '../pages/page.tsx';
import { followMouse } from '../tasks/drag.ts';
import { announcement } from '../tasks/lift.ts';
import { DropMark, Ghost } from '../tasks/drop-mark.tsx';
import { takeShared } from '../tasks/quick-add.tsx';
import { followTouch } from '../tasks/touch.ts';
import { LiftBar } from '../tasks/lift-bar.tsx';
import { Toolbar } from '../tasks/toolbar.tsx';
import { texts } from '../texts.ts';
import { OpenQuestion } from '../ui/dialog.tsx';
import { Icon, IconButton } from '../ui/icon.tsx';
import { OpenMenu } from '../ui/menu.tsx';
import { addTask } from './actions.ts';
import { AccountMenu } from './account-menu.tsx';
import { Bell } from './bell.tsx';
import { Invitations } from './invitations.tsx';
import { KeySheet } from './key-sheet.tsx';
import { Lists } from './lists.tsx';
import { Palette } from './palette-dialog.tsx';
import { Refusals } from './refusals.tsx';
import { Search } from './search.tsx';
import { Connection, Notice, Offers } from './status.tsx';
import { ZoneOffer } from './zone-offer.tsx';

export function Layout() {
  const [hasLists, setLists] = useState(false);
  const currentRoute = route.value;
  useEffect(followMouse, []);
  useEffect(followTouch, []);
  useEffect(sendAbandonedDrafts, []);
  useEffect(() => setLists(false), [currentRoute]);
  useEffect(() => takeShared(currentRoute), [currentRoute]);
  const taskId = taskIdIn(currentRoute.path);
  return (
    <div
      class={taskId === undefined ? 'layout' : 'layout with-details'}
      data-lists={hasLists}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setLists(false);
      }}
    >
      <a class="skip" href="#main" onClick={() => document.querySelector('main')?.focus()}>
        {texts.skip}
      </a>
      <header>
        <IconButton
          class="lists-button"
          icon="menu"
          label={texts.menu}
          aria-expanded={hasLists}
          onClick={() => setLists(!hasLists)}
        />
        <Search />
        <Connection />
        <Bell />
        <AccountMenu />
      </header>
      <Lists isOpen={hasLists} onAdd={() => setLists(false)} />
      {hasLists && <div class="scrim" onClick={() => setLists(false)} />}
      <main id="main" tabIndex={-1}>
        <Refusals />
        <Invitations />
        <ZoneOffer />
        <Page />
      </main>
      {taskId !== undefined && <Details key={taskId} id={taskId} />}
      <div class="floating">
        <button type="button" class="primary add-button" onClick={addTask}>
          <Icon name="plus" />
          <span class="hidden">{texts.addTask}</span>
        </button>
        <div class="bar">
          <LiftBar />
          <Toolbar />
          <Offers />
          <Notice />
        </div>
      </div>
      <DropMark />
      <Ghost />
      <p class="hidden" aria-live="assertive">
        {announcement.value}
      </p>
      <KeySheet />
      <Palette />
      <OpenQuestion />
      <OpenMenu />
    </div>
  );
}
