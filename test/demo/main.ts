// npm run demo [-- pictures]: the service with an account full of tasks, and a second one that works at the same time.
// With `pictures`: takes those of the README, and ends.
import { chromium } from 'playwright-core';
import { executablePath } from '../kit/browser.ts';
import { runWithService } from '../kit/process.ts';
import { entranceOf } from '../kit/service.ts';
import { signUpByMail, type User } from '../kit/users.ts';

const day = (ahead: number) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

type Planned = readonly [title: string, daysAhead: number | null, priority: string | null, tag: string | null];

/** Projects with their sections, and what is to be done there. */
const content: Readonly<Record<string, Readonly<Record<string, readonly Planned[]>>>> = {
  'Kitchen renovation': {
    Planning: [
      ['Measure the walls', 0, 'HIGH', 'home'],
      ['Choose the tiles', 2, 'MEDIUM', 'home'],
      ['Ask three carpenters for offers', 4, null, 'calls'],
    ],
    'In progress': [
      ['Order the oven', 1, 'HIGH', 'home'],
      ['Move the power outlets', 6, null, null],
    ],
    Done: [['Set the budget', -3, null, null]],
  },
  'Spring half marathon': {
    'This week': [
      ['Easy run, 8 km', 0, null, 'sport'],
      ['Intervals, 6 × 800 m', 2, 'MEDIUM', 'sport'],
    ],
    Later: [['Buy shoes', 9, 'LOW', 'errands']],
  },
  'Reading list': {
    Next: [
      ['The Dispossessed', null, null, null],
      ['Thinking in Systems', null, null, null],
    ],
  },
};

const shared = [
  'Write the announcement',
  'Translate the manual',
  'Record the video',
  'Book the venue',
  'Test on old phones',
];

async function make(user: User, name: string, types: string, variables: object): Promise<string> {
  const passed = types.replaceAll(/\$(\w+): \S+?(?=,|$)/g, '$1: $$$1');
  const query = `mutation (${types}) { made: ${name}(${passed}) { id } }`;
  const { body } = await user.post<{ data: { made: { id: string } } }>('/graphql', { query, variables });
  return body.data.made.id;
}
const makeTask = (user: User, input: object) => make(user, 'createTask', '$input: CreateTaskInput!', { input });

async function fill(user: User): Promise<string> {
  const tags = new Map<string | null, string>();
  for (const [name, color] of Object.entries({ home: 'ORANGE', calls: 'BLUE', sport: 'GREEN', errands: 'PURPLE' })) {
    tags.set(name, await make(user, 'createTag', '$name: String!, $color: TagColor', { name, color }));
  }
  let first = '';
  for (const [name, sections] of Object.entries(content)) {
    const projectId = await make(user, 'createProject', '$name: String!', { name });
    first ||= projectId;
    for (const [section, tasks] of Object.entries(sections)) {
      const types = '$projectId: ID!, $name: String!';
      const sectionId = await make(user, 'createSection', types, { projectId, name: section });
      for (const [title, ahead, priority, tag] of tasks) {
        const tagId = tags.get(tag);
        const dueDate = ahead === null ? null : day(ahead);
        const tagIds = tagId === undefined ? [] : [tagId];
        const parentId = await makeTask(user, { title, projectId, sectionId, priority, dueDate, tagIds });
        if (title !== 'Measure the walls') continue;
        for (const wall of ['North wall', 'Window side']) await makeTask(user, { title: wall, parentId });
      }
    }
  }
  return first;
}

/** Lets both work in a workspace. @returns the shared project */
async function share(user: User, mate: User): Promise<string> {
  const workspaceId = await make(user, 'createWorkspace', '$name: String!', { name: 'Launch team' });
  const invitation = { workspaceId, email: mate.email };
  const id = await make(user, 'inviteToWorkspace', '$workspaceId: ID!, $email: String!', invitation);
  await make(mate, 'acceptInvitation', '$id: ID!', { id });
  const types = '$name: String!, $workspaceId: ID';
  const projectId = await make(user, 'createProject', types, { name: 'Launch', workspaceId });
  for (const title of shared) await makeTask(user, { title, projectId });
  return projectId;
}

async function takePictures(url: string, cookie: string, projectId: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox'] });
  const [name = '', value = ''] = cookie.split('=');
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, colorScheme });
    await context.addCookies([{ name, value, url }]);
    const page = await context.newPage();
    await page.goto(colorScheme === 'light' ? `${url}/projects/${projectId}` : `${url}/today`);
    if (colorScheme === 'light') {
      await page.getByRole('radio', { name: 'Board' }).check();
      await page.getByRole('region', { name: 'Done' }).waitFor();
    } else {
      await page.getByRole('link', { name: 'Measure the walls' }).click();
      await page.getByRole('list', { name: 'History' }).getByRole('listitem').first().waitFor();
    }
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `docs/console-${colorScheme}.png` });
  }
  await browser.close();
}

const port = process.env['PORT'] ?? '3001';
await runWithService('.', { PORT: port, RATE_LIMITS: 'off' }, async (service, dataDir) => {
  const { url = '' } = service;
  const entrance = entranceOf(url, dataDir);
  const user = await signUpByMail(entrance, { email: 'anna@example.com' });
  const mate = await signUpByMail(entrance, { email: 'bert@example.com' });
  const projectId = await fill(user);
  const launch = await share(user, mate);
  if (process.argv.includes('pictures')) return takePictures(url, user.cookie ?? '', projectId);
  console.log(`Open ${url}, and sign in as one of these; Ctrl+C ends it, and deletes all of it.`);
  for (const { email, password } of [user, mate]) console.log(`  ${email}  ${password}`);
  let count = 0;
  const timer = setInterval(() => {
    count += 1;
    void makeTask(mate, { title: `${shared[count % shared.length] ?? ''}, part ${count + 1}`, projectId: launch });
  }, 5000);
  process.once('SIGINT', () => service.signal('SIGTERM'));
  await service.ended;
  clearInterval(timer);
});
