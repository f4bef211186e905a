import { parse, print } from 'graphql';

/** @param note first line, as a comment */
const tab = (note: string, text: string, variables?: object) => ({
  query: `${note && `# ${note}\n`}${print(parse(text))}\n`,
  ...(variables && { variables: JSON.stringify(variables, null, 2) }),
});

/** A test checks them against the schema and the limits. */
export const examples = [
  tab(
    'Tasks with subtasks and tags, in one operation.',
    `query Tasks {
      tasks(filter: { completed: false, topLevel: true }, first: 20) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes { id title priority dueDate tags { name color } children { id title completed } }
      }
    }`,
  ),
  tab(
    'The signed-in user. If null, sign up or sign in with the next tabs. The browser keeps the cookie.',
    'query Viewer { viewer { id name email preferences { timeZone dailyDigest } } }',
  ),
  tab(
    "Mails a sign-up code. Without a mail server, the code is in the service's log.",
    'mutation RequestCode($email: String!) { requestSignUpCode(email: $email) }',
    { email: 'you@example.com' },
  ),
  tab(
    '',
    `mutation SignUp($email: String!, $code: String!, $password: String!) {
      signUp(email: $email, code: $code, password: $password) { id email }
    }`,
    { email: 'you@example.com', code: '', password: '' },
  ),
  tab(
    '',
    'mutation SignIn($email: String!, $password: String!) { signIn(email: $email, password: $password) { id email } }',
    { email: 'you@example.com', password: '' },
  ),
  tab('', 'mutation CreateTask($input: CreateTaskInput!) { createTask(input: $input) { id title project { name } } }', {
    input: { title: 'Write to Anna', priority: 'HIGH', dueDate: '2030-01-31' },
  }),
  tab(
    'Every change of your tasks, as it happens.',
    'subscription TaskChanges { taskChanges { cursor kind taskId changedFields task { title completed } } }',
  ),
];
