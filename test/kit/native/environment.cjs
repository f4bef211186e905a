'use strict';
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** A Jest environment that runs tests in the worker itself, without a context. It restores replaced globals after each file. */
module.exports = class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #exit = process.exit;
  #console = console;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {
    // Node's own implementation knows the source lines.
    Error.prepareStackTrace = undefined;
  }

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    Reflect.deleteProperty(globalThis, Symbol.for('TEST_TIMEOUT_SYMBOL'));
    process.exit = this.#exit;
    globalThis.console = this.#console;
  }

  getVmContext() {
    return null;
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }
};
