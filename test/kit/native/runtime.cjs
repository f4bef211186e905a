'use strict';
const { pathToFileURL } = require('node:url');

/** The functions that Jest passes to a test file. See `globals.js`. */
const jestKey = Symbol.for('taskgate.jest');
const eventHandlers = Symbol.for('EVENT_HANDLERS');
/** Jest's own key. The environment removes it after each file. */
const timeoutKey = Symbol.for('TEST_TIMEOUT_SYMBOL');

const hooks = import('./register.js');

/**
 * Loads test files and their imports with Node instead of Jest's module system. A worker then evaluates the service and its libraries once, not once
 * for each file, which saves seconds of CPU.
 */
module.exports = class NativeRuntime {
  #environment;

  constructor(_config, environment) {
    this.#environment = environment;
  }

  /** Loads Jest's own modules again, because they hold the state of one file's run. */
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
      setTimeout: (milliseconds) => void (globalThis[timeoutKey] = milliseconds),
      restoreAllMocks: () => mocker.restoreAllMocks(),
      useFakeTimers: (options) => timers.useFakeTimers(options),
      useRealTimers: () => timers.useRealTimers(),
      advanceTimersByTime: (milliseconds) => timers.advanceTimersByTime(milliseconds),
      advanceTimersByTimeAsync: (milliseconds) => timers.advanceTimersByTimeAsync(milliseconds),
    };
    globalThis[jestKey] = { ...globals, jest };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** A setup module exports a function that runs before each file. */
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
