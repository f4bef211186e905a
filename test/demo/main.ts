// npm run demo [-- pictures]: starts the service with an account full of tasks and a second account, which works and talks at the same time. `pictures` takes the
// README's pictures and ends.
import { chromium } from 'playwright-core';
import { executablePath } from '../kit/browser.ts';
import { runWithService } from '../kit/process.ts';
import { accessService } from '../kit/service.ts';
import { signUpByMail, type User } from '../kit/users.ts';

const day = (daysAhead: number) => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10);

type PlannedTask = readonly [title: string, daysAhead: number | null, priority: string | null, tag: string | null];

const done = 'Done';

const content: Readonly<Record<string, Readonly<Record<string, readonly PlannedTask[]>>>> = {
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
    [done]: [
      ['Set the budget', -3, null, null],
      ['Compare three kitchens', -1, null, 'home'],
    ],
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
    [done]: [['The Left Hand of Darkness', null, null, null]],
  },
};

const inProgress = 'In progress';
const shared: Readonly<Record<string, readonly string[]>> = {
  'To do': [
    'Write the announcement',
    'Translate the manual',
    'Record the video',
    'Book the venue',
    'Test on old phones',
    'Invite the first customers',
    'Prepare answers to common questions',
  ],
  [inProgress]: ['Proofread the price list'],
  [done]: ['Choose the date', 'Order the stickers'],
};

async function make(user: User, name: string, types: string, variables: object): Promise<string> {
  const argumentList = types.replaceAll(/\$(\w+): \S+?(?=,|$)/g, '$1: $$$1');
  const query = `mutation (${types}) { made: ${name}(${argumentList}) { id } }`;
  const { body } = await user.post<{ data: { made: { id: string } } }>('/graphql', { query, variables });
  return body.data.made.id;
}
const update = (user: User, id: string, input: object) =>
  make(user, 'updateTask', '$id: ID!, $input: UpdateTaskInput!', { id, input });

async function makeTask(user: User, input: object, isCompleted = false): Promise<string> {
  const id = await make(user, 'createTask', '$input: CreateTaskInput!', { input });
  if (isCompleted) await update(user, id, { completed: true });
  return id;
}

const makeSection = (user: User, projectId: string, name: string) =>
  make(user, 'createSection', '$projectId: ID!, $name: String!', { projectId, name });

async function createTasks(user: User): Promise<string> {
  const tags = new Map<string | null, string>();
  for (const [name, color] of Object.entries({ home: 'ORANGE', calls: 'BLUE', sport: 'GREEN', errands: 'PURPLE' })) {
    tags.set(name, await make(user, 'createTag', '$name: String!, $color: TagColor', { name, color }));
  }
  let first = '';
  for (const [name, sections] of Object.entries(content)) {
    const projectId = await make(user, 'createProject', '$name: String!', { name });
    first ||= projectId;
    for (const [section, tasks] of Object.entries(sections)) {
      const sectionId = await makeSection(user, projectId, section);
      for (const [title, daysAhead, priority, tag] of tasks) {
        const tagId = tags.get(tag);
        const dueDate = daysAhead === null ? null : day(daysAhead);
        const tagIds = tagId === undefined ? [] : [tagId];
        const input = { title, projectId, sectionId, priority, dueDate, tagIds };
        const parentId = await makeTask(user, input, section === done);
        if (title !== 'Measure the walls') continue;
        for (const wall of ['North wall', 'Window side']) await makeTask(user, { title: wall, parentId });
      }
    }
  }
  return first;
}

/** Lets both users share a workspace. @returns a function that performs and describes the next step of `mate` */
async function share(user: User, colleague: User): Promise<() => Promise<string>> {
  const workspaceId = await make(user, 'createWorkspace', '$name: String!', { name: 'Launch team' });
  const invitation = { workspaceId, email: colleague.email };
  const id = await make(user, 'inviteToWorkspace', '$workspaceId: ID!, $email: String!', invitation);
  await make(colleague, 'acceptInvitation', '$id: ID!', { id });
  const types = '$name: String!, $workspaceId: ID';
  const projectId = await make(user, 'createProject', types, { name: 'Launch', workspaceId });
  const sections = new Map<string, string>();
  const tasks: { id: string; title: string }[] = [];
  for (const [section, titles] of Object.entries(shared)) {
    const sectionId = await makeSection(user, projectId, section);
    sections.set(section, sectionId);
    for (const title of titles) {
      tasks.push({ title, id: await makeTask(user, { title, projectId, sectionId }, section === done) });
    }
  }
  const move = async (id: string, title: string, section: string) => {
    const assignment = section === done ? {} : { addAssigneeIds: [colleague.id] };
    await update(colleague, id, { sectionId: sections.get(section), completed: section === done, ...assignment });
    return `${colleague.email} moves “${title}” to ${section}`;
  };
  const write = async (author: User, taskId: string, title: string, text: string) => {
    await make(author, 'createComment', '$taskId: ID!, $text: String!', { taskId, text });
    return `${author.email} comments on “${title}”`;
  };
  const steps = [
    (id: string, title: string) => move(id, title, inProgress),
    (id: string, title: string) => write(user, id, title, `@${colleague.id} Can you finish this today?`),
    (id: string, title: string) => write(colleague, id, title, `Yes, @${user.id}. I will be done in an hour.`),
    (id: string, title: string) => move(id, title, done),
  ];
  let count = 0;
  return async () => {
    const { id = '', title = '' } = tasks[Math.floor(count / steps.length) % tasks.length] ?? {};
    const step = steps[count % steps.length];
    count += 1;
    return (await step?.(id, title)) ?? '';
  };
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

// An empty variable counts as unset, as in the service.
const port = process.env['PORT'] || '3001';
console.log('Starting the service: this takes some seconds …');
await runWithService('.', { PORT: port, RATE_LIMITS: 'off' }, async (service, dataDir) => {
  const { url = '' } = service;
  const access = accessService(url, dataDir);
  console.log('Making two accounts …');
  const user = await signUpByMail(access, { email: 'anna@example.com' });
  const colleague = await signUpByMail(access, { email: 'bert@example.com' });
  await user.put('/api/v1/user/name', { name: 'Anna' });
  await colleague.put('/api/v1/user/name', { name: 'Bert' });
  console.log('Adding projects and tasks …');
  const projectId = await createTasks(user);
  const nextStep = await share(user, colleague);
  if (process.argv.includes('pictures')) return takePictures(url, user.cookie ?? '', projectId);
  console.log(`Open ${url}, and sign in as one of these. Ctrl+C ends the service, and deletes all of its data.`);
  for (const { email, password } of [user, colleague]) console.log(`  ${email}  ${password}`);
  const timer = setInterval(() => void nextStep().then(console.log, console.error), 5000);
  process.once('SIGINT', () => {
    clearInterval(timer);
    service.signal('SIGTERM');
  });
  await service.ended;
  clearInterval(timer);
});
