import { expect, test } from '@jest/globals';
import { fileOf } from './page.ts';

const page = await fileOf('docs/clients.md');

test.each(['index.html', 'vite.config.js', 'replica.js', 'main.jsx', 'public/sw.js'])(
  'the page that works offline shows %s as it is tried',
  async (file) => {
    const [, shown] = new RegExp(`^\`${file}\`[^\n]*:\n\n\`\`\`\\w+\n(.*?)^\`\`\``, 'ms').exec(page) ?? [];
    expect(shown).toBe(await fileOf(`examples/react/${file}`));
  },
);
