import type { Reader } from '../changes/feeds.ts';
import { makeProject, makeTag, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import type { ServiceAccess } from '../kit/service.ts';
import { signUpByMail, type User } from '../kit/users.ts';

export interface Person extends Reader {
  user: User;
  /** The access token of an agent. */
  token: string;
  /** Projects that tasks move between, one of them shared. Null is the inbox. */
  projects: (string | null)[];
  tags: string[];
}

export interface Team {
  workspaceId: string;
  /** Members throughout the run. */
  members: [Person, Person];
  /** Users who join and leave. */
  guests: [Person, Person];
}

export async function makeTeam(access: ServiceAccess): Promise<Team> {
  const createUser = () => signUpByMail(access);
  const [anna, ben, clara, dora] = [await createUser(), await createUser(), await createUser(), await createUser()];
  const workspace = await makeWorkspace(anna, ben);
  const shared = await makeProject(anna, { workspaceId: workspace.id });
  const person = async (user: User): Promise<Person> => ({
    user,
    cookie: user.cookie ?? '',
    token: (await makeProgram(access, user)).token,
    inboxId: (await user.data<{ inbox: { id: string } }>('{ inbox { id } }')).inbox.id,
    projects: [null, shared.id, shared.id, (await makeProject(user)).id],
    tags: [(await makeTag(user)).id, (await makeTag(user)).id],
  });
  return {
    workspaceId: workspace.id,
    members: [await person(anna), await person(ben)],
    guests: [await person(clara), await person(dora)],
  };
}
