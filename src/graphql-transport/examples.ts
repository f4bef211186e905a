import { parse, print } from 'graphql';

/** A tab of GraphiQL. @param note what its first line says */
const tab = (note: string, text: string, variables?: object) => ({
  query: `${note && `# ${note}\n`}${print(parse(text))}\n`,
  ...(variables && { variables: JSON.stringify(variables, null, 2) }),
});

/** Operations that GraphiQL opens with, one a tab. A test checks them against the schema and the limits. */
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
    'Who is signed in. Null: sign up or in with the next tabs; the cookie is kept by the browser.',
    'query Viewer { viewer { id name email preferences { timeZone dailyDigest } } }',
  ),
  tab(
    "Mails a code to sign up with. Without a mail server, it stands in the service's log.",
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
