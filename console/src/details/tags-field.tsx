import { type Task, tags } from 'taskgate-client';
import { change, useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { ChipsField } from '../ui/chips-field.tsx';

/** An unknown name creates a tag. */
export function TagsField({ task: { id, tagIds } }: { task: Task }) {
  const allTags = useQuery(tags.all);
  const isChosen = (tag: { readonly id: string }) => tagIds.includes(tag.id);
  const setTags = (ids: readonly string[]) => change('updateTask', { id, input: { tagIds: ids } });
  const add = (text: string) => {
    const name = text.replace(/^#/, '');
    if (name === '') return true;
    const existing = allTags.find((tag) => tag.name.toLowerCase() === name.toLowerCase());
    const tagId = existing?.id ?? change('createTag', { name }).id;
    if (tagId !== undefined && !tagIds.includes(tagId)) setTags([...tagIds, tagId]);
    return true;
  };
  return (
    <ChipsField
      label={texts.tags}
      placeholder={texts.addTag}
      chips={allTags
        .filter(isChosen)
        .map((tag) => ({ id: tag.id, name: tag.name, class: `tag ${tag.color.toLowerCase()}` }))}
      names={allTags.filter((tag) => !isChosen(tag)).map(({ name }) => name)}
      onAdd={add}
      onRemove={(tagId) => setTags(tagIds.filter((each) => each !== tagId))}
    />
  );
}
