import { firstCharacter } from '../characters.ts';

export function Avatar({ person }: { person: { name: string | null; email: string | null; image: string | null } }) {
  // The picture is on this origin, whatever its public address.
  if (person.image !== null) return <img class="avatar" alt="" src={new URL(person.image, location.origin).pathname} />;
  const letter = firstCharacter(person.name ?? person.email ?? '?');
  return (
    <span class="avatar" aria-hidden="true">
      {letter.toLocaleUpperCase()}
    </span>
  );
}
