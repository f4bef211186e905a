import { useState } from 'preact/hooks';
import { type Recurrence, type RecurrenceBasis, RuleError, type Task } from 'taskgate-client';
import { dayOf, formatDay, formatTime } from '../app/days.ts';
import { endOf, movedRule, presetOf, withEnd } from '../app/presets.ts';
import { dueIn, nextDates, setPreset, setRecurrence } from '../app/recurrence.ts';
import { errorText } from '../app/notice.ts';
import { change } from '../app/replica.ts';
import { texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Choice, Problem, Radios } from '../ui/form.tsx';
import { SavedField } from '../ui/saved-field.tsx';

/** @param task an open one */
export function Repeat({ task }: { task: Task }) {
  const { recurrence } = task;
  const [isCustom, setCustom] = useState(false);
  const [refusal, setRefusal] = useState<{ of: Recurrence | null; reason: string }>();
  const run = (act: () => void) => {
    try {
      act();
    } catch (error) {
      setRefusal({ of: recurrence, reason: errorText(error) });
    }
  };
  const countsCompletions = recurrence?.basis === 'COMPLETION';
  const preset = recurrence ? presetOf(recurrence.rule, countsCompletions ? undefined : recurrence.start) : 'never';
  return (
    <div class="repeat">
      <Choice
        label={texts.repeat}
        value={isCustom ? 'custom' : preset}
        texts={texts.presets}
        onChoose={(next) => {
          setCustom(next === 'custom');
          run(() => setPreset(task, next));
        }}
      />
      {(isCustom || preset === 'custom') && (
        <SavedField
          label={texts.rule}
          hint={texts.ruleHint}
          value={recurrence?.rule ?? ''}
          maxLength={500}
          required
          onSave={(rule) => setRecurrence(task, { rule })}
        />
      )}
      <Problem>{refusal?.of === recurrence && refusal.reason}</Problem>
      {recurrence && <Series task={task} recurrence={recurrence} run={run} />}
    </div>
  );
}

type End = keyof typeof texts.ends;

function Series({ task, recurrence, run }: { task: Task; recurrence: Recurrence; run: (act: () => void) => void }) {
  const { rule, basis, start } = recurrence;
  const { date: day } = dueIn(task);
  const end = endOf(rule);
  const [chosenEnd, chooseEnd] = useState<readonly [rule: string, name: End]>();
  const name = chosenEnd?.[0] === rule ? chosenEnd[1] : (end.slice(1, 6) as End);
  /** The series goes on, even if this occurrence was moved. */
  const set = (nextRule: string, nextBasis = basis) => {
    const goesOn = start <= (day ?? start) && basis !== 'COMPLETION' && nextBasis !== 'COMPLETION';
    setRecurrence(task, { rule: nextRule, basis: nextBasis, ...(goesOn && { start }) });
  };
  const setBasis = (next: RecurrenceBasis) => {
    const [from, to] = [basis, next].map((each) => (each === 'COMPLETION' ? undefined : start));
    const nextRule = from === to ? rule : movedRule(rule, from, to && (day ?? to));
    if (to === undefined && nextRule.includes(';BY')) throw new RuleError(texts.plainRule);
    set(nextRule, next);
  };
  const dates = nextDates(recurrence);
  return (
    <>
      <Radios label={texts.nextDate} texts={texts.bases} value={basis} onChoose={(next) => run(() => setBasis(next))} />
      <Radios
        label={texts.endsLabel}
        texts={texts.ends}
        value={name}
        onChoose={(next) => (next === '' && end !== '' ? run(() => set(withEnd(rule, ''))) : chooseEnd([rule, next]))}
      />
      {name !== '' && (
        <SavedField
          key={name}
          label={texts.endFields[name]}
          type={name === 'COUNT' ? 'number' : 'date'}
          min={name === 'COUNT' ? 1 : recurrence.date}
          required
          value={end.startsWith(`;${name}`) ? end.replace(/.*=/, '').replace(/(....)(..)(..)/, '$1-$2-$3') : ''}
          onSave={(value) => set(withEnd(rule, `;${name}=${value.replaceAll('-', '')}`))}
        />
      )}
      <div class="field">
        <p class="hint">{texts.nextDates}</p>
        <ol aria-label={texts.nextDates} role="list">
          {dates.map(({ date, time }) => (
            <li key={date}>
              {formatDay(time ? dayOf(time) : date)} {time && formatTime(time.toISOString())}
            </li>
          ))}
        </ol>
      </div>
      {dates.length > 0 && (
        <Button
          text={texts.skipDate}
          onClick={() => change('skipOccurrence', { id: task.id }, texts.skipped(task.title))}
        />
      )}
    </>
  );
}
