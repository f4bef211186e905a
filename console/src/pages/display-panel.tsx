import { useContext } from 'preact/hooks';
import { tags } from 'taskgate-client';
import { type Filter, PageDisplay, setDisplay } from '../app/display.ts';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Choice } from '../ui/form.tsx';

/** @param isStandard whether there is nothing to reset */
export function DisplayPanel({ offersCompleted, isStandard }: { offersCompleted: boolean; isStandard: boolean }) {
  const display = useContext(PageDisplay);
  const allTags = useQuery(tags.all);
  const set = (name: string, value: string, standard: string) =>
    setDisplay(display, { [name]: value === standard ? [] : [value] });
  return (
    <>
      <Choice
        label={texts.sortBy}
        texts={texts.sorts}
        value={display.sort}
        onChoose={(value) => set('sort', value, 'manual')}
      />
      <Choice
        label={texts.groupBy}
        texts={texts.groups}
        value={display.group}
        onChoose={(value) => set('group', value, display.ownGroup)}
      />
      {offersCompleted && (
        <Choice
          label={texts.completedLabel}
          texts={texts.completedChoices}
          value={display.showsCompleted ? 'show' : 'hide'}
          onChoose={(value) => set('completed', value, 'hide')}
        />
      )}
      <FilterChips filter="due" label={texts.dueDate} choices={Object.entries(texts.dueFilters)} />
      <FilterChips filter="priority" label={texts.priority} choices={Object.entries(texts.priorityFilters)} />
      {allTags.length > 0 && (
        <FilterChips filter="tag" label={texts.tags} choices={allTags.map(({ id, name }) => [id, name])} />
      )}
      {!isStandard && (
        <button
          type="button"
          onClick={() => setDisplay(display, { sort: [], group: [], completed: [], tag: [], priority: [], due: [] })}
        >
          {texts.resetDisplay}
        </button>
      )}
    </>
  );
}

function FilterChips({
  filter,
  label,
  choices,
}: {
  filter: Filter;
  label: string;
  choices: readonly (readonly [value: string, name: string])[];
}) {
  const display = useContext(PageDisplay);
  const chosen = display.filters[filter];
  return (
    <div class="field" role="group" aria-label={label}>
      <p class="hint">{label}</p>
      <div class="chips">
        {choices.map(([value, name]) => {
          const isOn = chosen.includes(value);
          const others = chosen.filter((each) => each !== value);
          return (
            <button
              key={value}
              type="button"
              class="chip"
              aria-pressed={isOn}
              dir="auto"
              onClick={() => setDisplay(display, { [filter]: isOn ? others : [...chosen, value] })}
            >
              {name}
            </button>
          );
        })}
      </div>
    </div>
  );
}
