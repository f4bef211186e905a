import { firstCharacter } from './characters.ts';

/** A user's picture, or else the first letter of the name. */
export function Avatar({ person }: { person: { name: string | null; email: string | null; image: string | null } }) {
  // The picture is on this origin, even if its public address names another one.
  if (person.image !== null) return <img class="avatar" alt="" src={new URL(person.image, location.origin).pathname} />;
  const letter = firstCharacter(person.name ?? person.email ?? '?');
  return (
    <span class="avatar" aria-hidden="true">
      {letter.toLocaleUpperCase()}
    </span>
  );
}
