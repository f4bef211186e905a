import { useContext } from 'preact/hooks';
import { tags } from 'taskgate-client';
import { type Filter, PageDisplay, setDisplay } from '../app/display.ts';
import { useQuery } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/form.tsx';

export type Setting = 'sort' | 'group' | 'completed';

/** @param isStandard whether there is nothing to reset */
export function DisplayPanel({ offers, isStandard }: { offers: readonly Setting[]; isStandard: boolean }) {
  const display = useContext(PageDisplay);
  const allTags = useQuery(tags.all);
  const choices = [
    ['sort', texts.sortBy, texts.sorts, display.sort, 'manual'],
    ['group', texts.groupBy, texts.groups, display.group, display.ownGroup],
    ['completed', texts.completedLabel, texts.completedChoices, display.showsCompleted ? 'show' : 'hide', 'hide'],
  ] as const;
  return (
    <>
      {choices
        .filter(([name]) => offers.includes(name))
        .map(([name, label, options, value, standard]) => (
          <Choice<string>
            key={name}
            {...{ label, texts: options, value }}
            onChoose={(next) => setDisplay(display, { [name]: next === standard ? [] : [next] })}
          />
        ))}
      <FilterChips filter="due" label={texts.dueDate} choices={Object.entries(texts.dueFilters)} />
      <FilterChips filter="priority" label={texts.priority} choices={Object.entries(texts.priorityFilters)} />
      {allTags.length > 0 && (
        <FilterChips filter="tag" label={texts.tags} choices={allTags.map(({ id, name }) => [id, name])} />
      )}
      {!isStandard && (
        <Button
          text={texts.resetDisplay}
          onClick={() => setDisplay(display, { sort: [], group: [], completed: [], tag: [], priority: [], due: [] })}
        />
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
