import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { pending, problem, refused, status, tasks } from 'taskgate-client';
import { client, useQuery, useReplica } from './replica.js';

const allTasks = tasks.all();
const signInMutation = `mutation ($email: String!, $password: String!) {
  viewer: signIn(email: $email, password: $password) { id }
}`;

function Page() {
  const [account, setAccount] = useState(() => localStorage.getItem('account'));
  // Another tab has signed in or out.
  useEffect(() => {
    const follow = ({ key, newValue }) => key === 'account' && setAccount(newValue);
    addEventListener('storage', follow);
    return () => removeEventListener('storage', follow);
  }, []);
  const signIn = async (form) => {
    const { viewer } = await client.graphql(signInMutation, Object.fromEntries(form));
    localStorage.setItem('account', viewer.id);
    setAccount(viewer.id);
  };
  const signOut = async () => {
    await client.rest.post('/api/v1/user/logout');
    localStorage.removeItem('account');
    setAccount(null);
    // Deletes unsent changes too, see `pending`.
    indexedDB.deleteDatabase(`taskgate:${account}`);
  };
  return account ? <Account key={account} {...{ account, signIn, signOut }} /> : <SignIn onSignIn={signIn} />;
}

function SignIn({ onSignIn }) {
  const [message, setMessage] = useState('');
  const submit = (event) => {
    event.preventDefault();
    onSignIn(new FormData(event.target)).catch((error) => setMessage(error.message));
  };
  return (
    <form onSubmit={submit}>
      <input name="email" type="email" placeholder="E-mail" required />
      <input name="password" type="password" placeholder="Password" required />
      <button>Sign in</button>
      <p role="alert">{message}</p>
    </form>
  );
}

function Account({ account, signIn, signOut }) {
  const { replica, error } = useReplica(account);
  if (error) return <p role="alert">{error.message}</p>;
  return replica ? <Tasks {...{ replica, signIn, signOut }} /> : <p>Opening…</p>;
}

function Tasks({ replica, signIn, signOut }) {
  const [failure, setFailure] = useState('');
  const list = useQuery(replica, allTasks);
  const unsent = useQuery(replica, pending).length;
  const refusals = useQuery(replica, refused);
  const isSignedOut = useQuery(replica, problem)?.code === 'UNAUTHENTICATED';
  const add = (event) => {
    event.preventDefault();
    replica.mutate('createTask', { input: { title: event.target.elements.title.value } });
    event.target.reset();
  };
  const complete = ({ id, completed }) => replica.mutate('updateTask', { id, input: { completed: !completed } });
  return (
    <main>
      <p role="status">
        {useQuery(replica, status)}
        {unsent > 0 && `, ${unsent} to be sent`}
      </p>
      {isSignedOut && <SignIn onSignIn={(form) => signIn(form).then(() => replica.reconnect())} />}
      <form onSubmit={add}>
        <input name="title" placeholder="New task" maxLength={500} required />
        <button>Add</button>
      </form>
      <ul>
        {list.map((task) => (
          <li key={task.id}>
            <label>
              <input type="checkbox" checked={task.completed} onChange={() => complete(task)} />
              {task.title}
            </label>
          </li>
        ))}
      </ul>
      {refusals.map(({ key, error }) => (
        <p role="alert" key={key}>
          {error.message} <button onClick={() => replica.dismiss(key)}>OK</button>
        </p>
      ))}
      <button onClick={() => signOut().catch((error) => setFailure(`Not signed out: ${error.message}`))}>
        Sign out
      </button>
      <p role="alert">{failure}</p>
    </main>
  );
}

void navigator.serviceWorker?.register('/sw.js');
createRoot(document.getElementById('page')).render(<Page />);
