import type { Task } from "@a2a-js/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NAMES, type Name, Pair, unsolicited } from "./pair.ts";

const TIME = { timeout: 60_000 };

let pair: Pair;
beforeAll(async () => {
  pair = await Pair.start("embedded");
});
afterAll(() => pair.dispose());

const isAbout = (ball: string) => (task: Task) => JSON.stringify(task.history).includes(` ${ball}"`);
/** Resolves once the maximum number of hops was made. */
const hopsOf = async (ball: string, between = pair): Promise<Record<Name, number>> => {
  for (;;) {
    const [ay = [], bee = []] = await Promise.all(NAMES.map((name) => between.tasksAt(name)));
    const hops = { ay: ay.filter(isAbout(ball)).length, bee: bee.filter(isAbout(ball)).length };
    if (hops.ay + hops.bee >= 3) return hops;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe("given two deployments whose agents send every message back", () => {
  it.each(["task_delegate", "consult", "notify"])(
    "when one sends a %s, then the fourth hop between them is refused (A4)",
    TIME,
    async (type) => {
      const before = pair.refusals.items.length;
      const person = pair.personAt("ay", type);
      await person.answerTo(person.say(`volley bee ${type} ball-${type}`));
      await pair.refusals.count(before + 1);
      expect(pair.refusals.items.at(-1)).toContain("reached the limit of messages");
      if (type === "task_delegate") await person.until(() => unsolicited(person).length > 0, "the end of it");
      expect(await hopsOf(`ball-${type}`)).toEqual({ ay: 1, bee: 2 });
    },
  );

  it("when each knows the other by an alias address, then no additional hop is made (A4)", TIME, async () => {
    const person = pair.personAt("ay", "by-alias");
    await person.answerTo(person.say("volley bee-alias task_delegate ball-alias"));
    await person.until(() => unsolicited(person).length > 0, "the end of it");
    expect(await hopsOf("ball-alias")).toEqual({ ay: 1, bee: 2 });
  });

  it("when one crashes on the way, then the hop count continues (A4)", TIME, async () => {
    const before = pair.refusals.items.length;
    // The first turn is for the person's message, the second for the message that came back.
    await pair.ay.crashAt("turn.opened", 2);
    const person = pair.personAt("ay", "crashing");
    person.say("volley bee task_delegate ball-crashing");
    await pair.ay.restarted();
    await person.until(() => unsolicited(person).length > 0, "the end of it");
    expect(pair.refusals.items).toHaveLength(before + 1);
    expect(await hopsOf("ball-crashing")).toEqual({ ay: 1, bee: 2 });
  });
});

describe("given deployments with separate gateway and core processes and without a configured address", () => {
  let split: Pair;
  beforeAll(async () => {
    split = await Pair.start("nats", { isSplit: true });
  }, 60_000);
  afterAll(() => split.dispose());

  it("when one sends a message, then the fourth hop between them is refused too (A4)", TIME, async () => {
    const person = split.personAt("ay", "unaddressed");
    await person.answerTo(person.say("volley bee consult ball-unaddressed"));
    expect(await hopsOf("ball-unaddressed", split)).toEqual({ ay: 1, bee: 2 });
  });
});

describe("given an agent that is also configured as a remote peer of itself", () => {
  it("when it sends itself a message, then the error says that the peer is the agent itself (A3)", TIME, async () => {
    const before = pair.refusals.items.length;
    const person = pair.personAt("ay", "mirrored");
    await person.answerTo(person.say("task_delegate mirror something"));
    expect(pair.refusals.items.slice(before)).toEqual([expect.stringContaining("yourself")]);
  });

  it("when it knows itself only by an alias address, then its own server refuses the message (A3)", TIME, async () => {
    const person = pair.personAt("ay", "mirrored-by-alias");
    await person.answerTo(person.say("task_delegate mirror-alias nothing-at-all"));
    // The test never releases the work of an accepted message.
    await person.until(() => unsolicited(person).length > 0, "the end of it");
    expect(unsolicited(person)[0]?.markdown).toContain("its end");
  });
});
