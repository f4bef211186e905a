import { refused, type OutboxEntry } from 'taskgate-client';
import { useQuery } from '../app/replica.ts';
import { theReplica } from '../app/session.ts';
import { texts } from '../texts.ts';

/** What a mutation was about, as far as it says so itself. */
const aboutOf = ({ variables }: OutboxEntry): string => {
  const { name, input } = variables as { name?: string; input?: { title?: string } };
  return input?.title ?? name ?? '';
};

/** Changes that the service has refused, each with its reason. */
export const Refusals = () =>
  useQuery(() => refused).map((entry) => (
    <div key={entry.key} class="refusal" role="alert">
      <p>
        <strong>{texts.refused(texts.mutations[entry.name], aboutOf(entry))}</strong>{' '}
        {entry.error && (texts.problems[entry.error.code] ?? entry.error.errors?.[0]?.message ?? entry.error.message)}
      </p>
      <button type="button" onClick={() => theReplica().dismiss(entry.key)}>
        {texts.dismiss}
      </button>
    </div>
  ));
