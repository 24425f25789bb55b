'use strict';
// A test shares the built-in classes, the process and the timers of the worker with what Node.js loads for all tests (runtime.cjs), so
// that `instanceof` and fake timers hold on both sides. What a file changes of the process and its globals goes with it.
const { runInContext } = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const SHARED = Object.getOwnPropertyNames(globalThis).filter((name) => !/^global(?:This)?$/.test(name));

/** Classes of which a test has instances without naming them: by literals, functions, faults and fake timers. */
const UNNAMED = [
  Array,
  Date,
  Error,
  Function,
  Object,
  Promise,
  RangeError,
  ReferenceError,
  RegExp,
  TypeError,
];

const values = Object.entries(Object.getOwnPropertyDescriptors(globalThis)).filter(
  ([, { writable }]) => writable === true,
);
const { exit, getBuiltinModule } = process;
const variables = { ...process.env };

const listenersOf = (name) => [name, new Set(process.listeners(name))];

module.exports = class SharingEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    for (const shared of UNNAMED) {
      const { prototype } = runInContext(shared.name, this.getVmContext());
      prototype.constructor = shared;
      if (shared !== Object) Object.setPrototypeOf(prototype, shared.prototype);
    }
    for (const name of SHARED) {
      if (Object.getOwnPropertyDescriptor(this.global, name)?.configurable === false) continue;
      const set = (value) => void (globalThis[name] = value);
      Object.defineProperty(this.global, name, { configurable: true, get: () => globalThis[name], set });
    }
    this.listeners = new Map(process.eventNames().map(listenersOf));
  }

  async setup() {
    await super.setup();
    // Jest has put its own in place.
    process.getBuiltinModule = getBuiltinModule;
  }

  async teardown() {
    await super.teardown();
    for (const [name, { value }] of values) if (globalThis[name] !== value) globalThis[name] = value;
    process.exit = exit;
    for (const [name, present] of process.eventNames().map(listenersOf))
      for (const listener of present)
        if (!this.listeners.get(name)?.has(listener)) process.off(name, listener);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  }
};
