import { go, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';

const address = (text: string) => `/search?q=${encodeURIComponent(text)}`;

/** The field that finds tasks and tags, as one types. */
export function Search() {
  const { path, search } = route.value;
  const isOpen = path === '/search';
  const text = isOpen ? (new URLSearchParams(search).get('q') ?? '') : '';
  const find = (wanted: string) => go(address(wanted), { replace: isOpen });
  return (
    <search>
      <Icon name="search" />
      <input
        id="search"
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        value={text}
        autocomplete="off"
        onInput={({ currentTarget: { value } }) => (value === '' ? history.back() : find(value))}
        onKeyDown={(event) => {
          if (event.key === 'Enter') find(event.currentTarget.value);
        }}
      />
    </search>
  );
}
