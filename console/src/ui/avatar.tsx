import { useState } from 'preact/hooks';
import { firstCharacter } from '../characters.ts';

/** The picture, or the first letter if there is none, or if it does not load. */
export function Avatar({ person }: { person: { name: string | null; email: string | null; image: string | null } }) {
  const { name, email, image } = person;
  const [failedImage, setFailedImage] = useState<string>();
  if (image !== null && image !== failedImage) {
    // The picture is on this origin, whatever its public address.
    const { pathname } = new URL(image, location.origin);
    return <img class="avatar" alt="" src={pathname} onError={() => setFailedImage(image)} />;
  }
  return (
    <span class="avatar" aria-hidden="true">
      {firstCharacter(name ?? email ?? '?').toLocaleUpperCase()}
    </span>
  );
}
