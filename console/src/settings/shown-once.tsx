import { useLayoutEffect, useRef } from 'preact/hooks';

/** A secret that the service shows only once. It scrolls into view. */
export function ShownOnce({ text, secret }: { text: string; secret: string | undefined }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), [secret]);
  if (secret === undefined) return null;
  return (
    <div role="status" class="shown-once" ref={box}>
      <p>{text}</p>
      <code>{secret}</code>
    </div>
  );
}
