import { useId, useState } from 'preact/hooks';
import { type Task, tags } from 'taskgate-client';
import { change, useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { IconButton } from '../ui/icon.tsx';

/** An unknown name creates a tag. */
export function TagsField({ task: { id, tagIds } }: { task: Task }) {
  const allTags = useQuery(tags.all);
  const htmlId = useId();
  const [name, setName] = useState('');
  const taskTags = allTags.filter((tag) => tagIds.includes(tag.id));
  const setTags = (ids: readonly string[]) => change('updateTask', { id, input: { tagIds: ids } });
  const add = (text: string) => {
    const tagName = text.trim().replace(/^#/, '');
    if (tagName === '') return;
    const existing = allTags.find((tag) => tag.name.toLowerCase() === tagName.toLowerCase());
    const tagId = existing?.id ?? change('createTag', { name: tagName }).id;
    if (tagId !== undefined && !tagIds.includes(tagId)) setTags([...tagIds, tagId]);
    setName('');
  };
  return (
    <div class="field">
      <label for={htmlId}>{texts.tags}</label>
      <div class="chips">
        {taskTags.map((tag) => (
          <span key={tag.id} class={`chip tag ${tag.color.toLowerCase()}`}>
            {tag.name}
            <IconButton
              icon="close"
              label={texts.removeChip(tag.name)}
              onClick={() => setTags(tagIds.filter((each) => each !== tag.id))}
            />
          </span>
        ))}
        <input
          id={htmlId}
          list={`${htmlId}-all`}
          value={name}
          maxLength={255}
          autocomplete="off"
          placeholder={texts.addTag}
          onInput={({ currentTarget: { value } }) => setName(value)}
          onChange={({ currentTarget: { value } }) => add(value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add(name);
          }}
        />
        <datalist id={`${htmlId}-all`}>
          {allTags
            .filter((tag) => !tagIds.includes(tag.id))
            .map((tag) => (
              <option key={tag.id} value={tag.name} />
            ))}
        </datalist>
      </div>
    </div>
  );
}
