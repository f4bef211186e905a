type Labels = Record<string, string>;

/** What `/metrics` said at a moment. */
export interface Samples {
  readonly text: string;
  /** Names of all metrics. */
  readonly names: ReadonlySet<string>;
  /** The sum of the samples of that name that have the labels; undefined where there is none. */
  value(name: string, labels?: Labels): number | undefined;
  /** How many samples of that name there are. */
  count(name: string): number;
}

/** Configures a service of the kit to serve its metrics with its API, so that tests can read them. */
export const withMetrics = { PORT: '3000', METRICS_PORT: '3000' };

/** Reads the metrics. @param origin of the service, or of its metrics' own port */
export async function scrape(origin: string): Promise<Samples> {
  const response = await fetch(`${origin}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  const text = await response.text();
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(read);
  const named = (name: string) => samples.filter((sample) => sample.name === name);
  return {
    text,
    names: new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)),
    value(name, labels = {}) {
      const matching = named(name).filter((sample) =>
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
    },
    count: (name) => named(name).length,
  };
}

function read(line: string) {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
    value: Number(value),
  };
}
