import { go, route } from '../app/router.ts';
import { texts } from '../texts.ts';
import { Icon } from '../ui/icon.tsx';

const searchPath = (text: string) => `/search?q=${encodeURIComponent(text)}`;

export function Search() {
  const { path, search, from } = route.value;
  const isOpen = path === '/search';
  const text = isOpen ? (new URLSearchParams(search).get('q') ?? '') : '';
  const openSearch = (query: string) =>
    go(searchPath(query), { replace: isOpen, ...(isOpen ? from !== undefined && { from } : { from: path + search }) });
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
        onInput={({ currentTarget: { value } }) =>
          value === '' ? go(from ?? '/today', { replace: true }) : openSearch(value)
        }
        onKeyDown={(event) => {
          if (event.key === 'Enter') openSearch(event.currentTarget.value);
        }}
      />
    </search>
  );
}
