import { it } from "vitest";

/**
 * A test that a change of these settings changes the behaviour of the built product. `test/config/every-setting.test.ts` reads
 * these calls as text: the list of keys holds plain strings only, spelled as `test/config/setting-keys.ts` spells them.
 */
export const proves = (keys: readonly [string, ...string[]], title: string, body: () => Promise<void>): void => {
  it(`${title} [${keys.join(", ")}]`, body);
};
