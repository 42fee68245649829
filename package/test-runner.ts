/**
 * The functions of a test runner that the contract suite uses. Vitest, Jest and Mocha have these functions; node:test has `describe`
 * and `it`, and takes `expect` from the package of that name.
 */
export interface TestRunner {
  describe(name: string, define: () => void): unknown;
  it(name: string, test: TestFunction): unknown;
  /** With the matchers of Jest. */
  readonly expect: Expect;
}

/** The types of runners differ; the suite uses only matchers that all of them have. */
type Expect = (...args: never[]) => unknown;

/** The runner may pass a context; if it has `skip`, the case is reported as skipped. */
type TestFunction = (context?: unknown) => Promise<void>;

/** With a reason alone it always skips. */
type Skip = (...skipped: [reason: string] | [condition: boolean, reason: string]) => void;
interface CaseContext {
  readonly skip: Skip;
}
type Step = (context: CaseContext) => unknown;

/** The steps around each case of one `describe`. */
interface Scope {
  readonly before: Step[];
  readonly after: Step[];
}

class Skipped extends Error {}

const skip: Skip = (condition, reason = String(condition)) => {
  if (condition !== false) throw new Skipped(reason);
};

let runner: TestRunner | undefined;
let scopes: readonly Scope[] = [];

/** Cases run after this call has returned, so they keep the runner that was set last. */
export const useRunner = (chosen: TestRunner): void => {
  runner = chosen;
};

const chosen = (): TestRunner => {
  if (runner === undefined) throw new Error("pass { describe, it, expect } of your test runner");
  return runner;
};

// The build replaces "vitest" by this module, so the suite of the project runs under any runner.

export const describe = (name: string, define: () => void): void => {
  chosen().describe(name, () => {
    const outer = scopes;
    scopes = [...outer, { before: [], after: [] }];
    try {
      define();
    } finally {
      scopes = outer;
    }
  });
};

export const beforeEach = (step: Step): void => {
  scopes.at(-1)?.before.push(step);
};

export const afterEach = (step: Step): void => {
  scopes.at(-1)?.after.push(step);
};

const defineCase = (name: string, body: Step): void => {
  const around = scopes;
  chosen().it(name, async (context) => {
    try {
      await runCase(around, body);
    } catch (error) {
      if (!(error instanceof Skipped)) throw error;
      if (hasSkip(context)) context.skip(error.message);
    }
  });
};

const hasSkip = (context: unknown): context is { skip(reason: string): void } =>
  typeof context === "object" && context !== null && "skip" in context && typeof context.skip === "function";

/** The steps run inside the case, because runners differ in what a step before it can skip. */
const runCase = async (around: readonly Scope[], body: Step): Promise<void> => {
  try {
    for (const { before } of around) for (const step of before) await step({ skip });
    await body({ skip });
  } finally {
    for (const { after } of around.toReversed()) for (const step of after.toReversed()) await step({ skip });
  }
};

export const it = Object.assign(defineCase, {
  each:
    <T>(rows: readonly T[]) =>
    (name: string, body: (...values: never[]) => unknown): void => {
      for (const row of rows) {
        const values = Array.isArray(row) ? row : [row];
        defineCase(titled(name, values), () => body(...(values as never[])));
      }
    },
  for:
    <T>(rows: readonly T[]) =>
    (name: string, body: (value: T, context: CaseContext) => unknown): void => {
      for (const row of rows) defineCase(titled(name, [row].flat()), (context) => body(row, context));
    },
});

const titled = (name: string, values: readonly unknown[]): string => {
  let next = 0;
  return name.replace(/%[sdj]/g, () => String(values[next++]));
};

/** Forwards to the runner's `expect`, which is known only when a case runs. */
export const expect: Expect = new Proxy(() => undefined, {
  apply: (_target, _this, args) => chosen().expect(...(args as never[])),
  get: (_target, name) => Reflect.get(chosen().expect, name),
});
