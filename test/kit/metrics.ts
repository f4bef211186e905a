type Labels = Record<string, string>;

export interface Samples {
  readonly text: string;
  readonly names: ReadonlySet<string>;
  /** Sum of the samples with these labels. Undefined if there is none. */
  value(name: string, labels?: Labels): number | undefined;
  count(name: string): number;
}

/** Serves the metrics at the port of the API, where tests read them. */
export const withMetrics = { PORT: '3000', METRICS_PORT: '3000' };

export async function scrape(origin: string): Promise<Samples> {
  const response = await fetch(`${origin}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}`);
  const text = await response.text();
  const samples = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(read);
  const samplesNamed = (name: string) => samples.filter((sample) => sample.name === name);
  return {
    text,
    names: new Set([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name)),
    value(name, labels = {}) {
      const matching = samplesNamed(name).filter((sample) =>
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
      );
      return matching.length === 0 ? undefined : matching.reduce((sum, { value }) => sum + value, 0);
    },
    count: (name) => samplesNamed(name).length,
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
