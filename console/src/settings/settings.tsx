import type { ComponentType } from 'preact';
import { texts } from '../texts.ts';
import { Account } from './account.tsx';
import { Applications } from './applications.tsx';
import { Export } from './export.tsx';
import { Notifications } from './notifications.tsx';
import { Profile } from './profile.tsx';
import { Security } from './security.tsx';
import { Tokens } from './tokens.tsx';
import { Webhooks } from './webhooks.tsx';

const pages: Readonly<Record<string, ComponentType>> = {
  profile: Profile,
  notifications: Notifications,
  security: Security,
  tokens: Tokens,
  webhooks: Webhooks,
  applications: Applications,
  export: Export,
  account: Account,
};

export function SettingsPage({ page }: { page: string }) {
  const current = Object.hasOwn(pages, page) ? page : 'profile';
  const Current = pages[current] ?? Profile;
  return (
    <div class="settings">
      <h1>{texts.settings}</h1>
      <nav aria-label={texts.settings}>
        <ul>
          {Object.keys(pages).map((name) => (
            <li key={name}>
              <a href={`/settings/${name}`} aria-current={name === current ? 'page' : undefined}>
                {texts.settingsPages[name]}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <h2>{texts.settingsPages[current]}</h2>
      <Current key={current} />
    </div>
  );
}
