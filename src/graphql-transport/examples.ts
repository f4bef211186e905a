/** Operations that GraphiQL opens with, one a tab. A test holds them against the schema and the limits. */
export const examples = [
  {
    query: `# Tasks with subtasks and tags, in one operation.
query Tasks {
  tasks(filter: { completed: false, topLevel: true }, first: 20) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      priority
      dueDate
      tags {
        name
        color
      }
      children {
        id
        title
        completed
      }
    }
  }
}
`,
  },
  {
    query: `# Who is signed in. Null: sign up or in with the next tabs; the cookie is kept by the browser.
query Viewer {
  viewer {
    id
    name
    email
    preferences {
      timeZone
      dailyDigest
    }
  }
}
`,
  },
  {
    query: `# Mails a code to sign up with. Without a mail server, it stands in the service's log.
mutation RequestCode($email: String!) {
  requestSignUpCode(email: $email)
}
`,
    variables: JSON.stringify({ email: 'you@example.com' }, null, 2),
  },
  {
    query: `mutation SignUp($email: String!, $code: String!, $password: String!) {
  signUp(email: $email, code: $code, password: $password) {
    id
    email
  }
}
`,
    variables: JSON.stringify({ email: 'you@example.com', code: '', password: '' }, null, 2),
  },
  {
    query: `mutation SignIn($email: String!, $password: String!) {
  signIn(email: $email, password: $password) {
    id
    email
  }
}
`,
    variables: JSON.stringify({ email: 'you@example.com', password: '' }, null, 2),
  },
  {
    query: `mutation CreateTask($input: CreateTaskInput!) {
  createTask(input: $input) {
    id
    title
    project {
      name
    }
  }
}
`,
    variables: JSON.stringify({ input: { title: 'Write to Anna', priority: 'HIGH', dueDate: '2030-01-31' } }, null, 2),
  },
  {
    query: `# Every change of your tasks, as it happens.
subscription TaskChanges {
  taskChanges {
    cursor
    kind
    taskId
    changedFields
    task {
      title
      completed
    }
  }
}
`,
  },
];
