import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newPage, openPage, type WatchedPage } from '../kit/browser.ts';
import { honestProvider, type RunningProvider, makePerson } from '../kit/providers.ts';
import { randomEmail } from '../kit/random.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';
import { describeWithBrowser } from '../kit/with-browser.ts';

const publicUrl = 'http://localhost:39746';

describeWithBrowser('the time zone of an account', () => {
  let service: Service;
  let provider: RunningProvider;
  let watchedPage: WatchedPage;
  beforeAll(async () => {
    const redirectUri = () => `${publicUrl}/api/v1/auth/one/callback`;
    provider = await honestProvider({ id: 'taskgate', redirectUri });
    service = await startService({
      ...{ PUBLIC_URL: publicUrl, OIDC_ONE_ISSUER: provider.issuer, OIDC_ONE_CLIENT_ID: 'taskgate' },
    });
    watchedPage = await openPage(publicUrl, undefined, service.url);
  });
  afterAll(async () => {
    await watchedPage.browser.close();
    await service.close();
    await provider.close();
  });

  const open = (cookie?: string, timezoneId = 'America/Los_Angeles') =>
    newPage(watchedPage.browser, publicUrl, cookie, { timezoneId });
  const zoneOf = async (email: string | undefined) => {
    const [row] = await service.sql<{ time_zone: string }>(
      'SELECT time_zone FROM preferences JOIN users ON users.id = user_id WHERE email = $1',
      [email],
    );
    return row?.time_zone;
  };

  test('an account that is created by a code has the zone of its browser', async () => {
    const page = await open();
    const email = randomEmail();
    await page.goto(`${publicUrl}/signup`);
    await page.getByLabel('E-mail').fill(email);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByLabel('Code').fill(await service.mailbox.takeCode(email));
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(await zoneOf(email)).toBe('America/Los_Angeles');
    expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0);
  });

  test('an account that is created by a provider has the zone of its browser, and a later sign-in changes nothing', async () => {
    provider.person = makePerson();
    for (const zone of ['America/Los_Angeles', 'Asia/Tokyo']) {
      const page = await open(undefined, zone);
      await page.goto(publicUrl);
      await page.getByRole('button', { name: 'Continue with one' }).click();
      await page.getByRole('heading', { name: 'Today' }).waitFor();
      expect(await zoneOf(provider.person.email)).toBe('America/Los_Angeles');
      await service.sql(`UPDATE users SET created_at = created_at - interval '1 day'`);
    }
  });

  test.each([
    ['Use America/Los_Angeles', 'America/Los_Angeles'],
    ['Keep UTC', 'Etc/UTC'],
  ])('an older account that has chosen no zone is asked once: %s', async (answer, zone) => {
    const anna = await signUp(service);
    const page = await open(anna.cookie);
    await page.goto(publicUrl);
    await page.getByRole('button', { name: answer }).click();
    await page.getByRole('button', { name: answer }).waitFor({ state: 'detached' });
    await until('the choice is stored', async () => (await zoneOf(anna.email)) === zone);
    await page.reload();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0);
  });

  test('a user whose browser is in the zone of the account is not asked', async () => {
    const page = await open((await signUp(service)).cookie, 'Etc/UTC');
    await page.goto(publicUrl);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0);
  });

  test('the settings report another zone of the browser, and can use it', async () => {
    const anna = await signUp(service);
    await anna.data('mutation { updatePreferences(input: { timeZone: "Europe/Berlin" }) { timeZone } }');
    const page = await open(anna.cookie, 'Asia/Tokyo');
    await page.goto(`${publicUrl}/today`);
    await page.getByRole('heading', { name: 'Today' }).waitFor();
    expect(await page.getByRole('button', { name: /^Use / }).count()).toBe(0);
    await page.goto(`${publicUrl}/settings/notifications`);
    await page.getByText('This browser is in another time zone: Asia/Tokyo.').waitFor();
    await page.getByRole('button', { name: 'Use Asia/Tokyo' }).click();
    await page.getByText('another time zone').waitFor({ state: 'detached' });
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
    await until('the zone is stored', async () => (await zoneOf(anna.email)) === 'Asia/Tokyo');
    await page.getByLabel('Time zone').selectOption('UTC');
    await until('UTC is a choice', async () => (await zoneOf(anna.email)) === 'Etc/UTC');
    expect(await page.getByLabel('Time zone').inputValue()).toBe('UTC');
  });
});
