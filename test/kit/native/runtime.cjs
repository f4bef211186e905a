'use strict';
const { pathToFileURL } = require('node:url');

/** What Jest gives to a test file: see `globals.js`, which hands it on. */
const given = Symbol.for('taskgate.jest');
const eventHandlers = Symbol.for('EVENT_HANDLERS');

const hooks = import('./register.js');

/**
 * What Jest loads test files by. Node itself loads them here, and all that they import: the service and its libraries are
 * evaluated once in a worker, where Jest's own module system does so for each file, by seconds of a processor.
 */
module.exports = class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** Jest's part of a test file's run, which keeps the state of one. */
  requireInternalModule(file) {
    Reflect.deleteProperty(require.cache, file);
    Reflect.deleteProperty(globalThis, eventHandlers);
    return require(file);
  }

  requireModule(file) {
    return require(file);
  }

  setGlobalsForRuntime(globals) {
    const { moduleMocker: mocker, fakeTimersModern: timers } = this.#environment;
    const jest = {
      spyOn: mocker.spyOn.bind(mocker),
      isMockFunction: mocker.isMockFunction.bind(mocker),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
      advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    };
    globalThis[given] = { ...globals, jest };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A module of setup exports what is to be done before each file. */
  async unstable_importModule(file) {
    await hooks;
    const { default: setUp } = await import(pathToFileURL(file).href);
    await setUp?.();
  }

  getSourceMaps() {
    return new Map();
  }

  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  teardown() {}
};
