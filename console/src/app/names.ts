import type { Member } from 'taskgate-client';
import { withoutDirections } from '../characters.ts';

export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string =>
  withoutDirections(name ?? email ?? '');

export interface NamedMember {
  readonly id: string;
  /** The address if another member has the same name. */
  readonly name: string;
  /** Further names that no other member has. */
  readonly aliases: readonly string[];
}

/** Returns names that each mean one member. */
export function namesOf(members: readonly Member[]): readonly NamedMember[] {
  const candidates = members.map((member) => {
    const { name, email } = member;
    return {
      member,
      all: [nameOf(member), name?.split(' ')[0], email, email?.split('@')[0]].map((each) => each ?? ''),
    };
  });
  const isUnique = (text: string) =>
    text !== '' &&
    candidates.filter(({ all }) => all.some((each) => each.toLowerCase() === text.toLowerCase())).length === 1;
  return candidates.map(({ member: { id, email }, all: [name = '', ...aliases] }) => ({
    id,
    name: isUnique(name) ? name : (email ?? name),
    aliases: aliases.filter(isUnique),
  }));
}
