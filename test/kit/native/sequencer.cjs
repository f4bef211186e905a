'use strict';
const { createHash } = require('node:crypto');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** With `--randomize`, files run in a random order too, by the seed that Jest prints. */
module.exports = class RandomSequencer extends Sequencer {
  #config;

  constructor(options) {
    super(options);
    this.#config = options.globalConfig;
  }

  sort(tests) {
    const { randomize, rootDir, seed } = this.#config;
    if (!randomize) return super.sort(tests);
    const place = (test) =>
      createHash('sha256')
        .update(`${seed} ${path.relative(rootDir, test.path)}`)
        .digest('hex');
    const places = new Map(tests.map((test) => [test, place(test)]));
    return [...tests].sort((a, b) => (places.get(a) < places.get(b) ? -1 : 1));
  }
};
