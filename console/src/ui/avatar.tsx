import { firstCharacter } from './characters.ts';

/** Who is shown: their picture, else their first letter. */
export function Avatar({ person }: { person: { name: string | null; email: string | null; image: string | null } }) {
  // The picture is the service's, wherever its public address leads.
  if (person.image !== null) return <img class="avatar" alt="" src={new URL(person.image, location.origin).pathname} />;
  const letter = firstCharacter(person.name ?? person.email ?? '?');
  return (
    <span class="avatar" aria-hidden="true">
      {letter.toLocaleUpperCase()}
    </span>
  );
}
