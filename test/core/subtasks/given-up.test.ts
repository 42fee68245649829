import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import { allDeadLetters } from "../../../core/contract/ports/bus.ts";
import { collection, keyOf } from "../../../core/contract/ports/collection.ts";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { AGENT, type CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";
import type { Asked } from "./delegating.ts";
import {
  counted,
  delegates,
  finals,
  Held,
  roles,
  spawns,
  startDelegating,
  subtask,
  subtaskIds,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const FAILURE_PAUSES_MS = [2, 4, 8, 16];
const CEILING_MS = 300_000;

/** Throws the first five times that it comes to a checkpoint: then the bus gives the message up. */
const breaksAt = (at: string): NonNullable<TestOptions["checkpoint"]> => {
  let left = FAILURE_PAUSES_MS.length + 1;
  return (name) => {
    if (name === at && left-- > 0) throw new Error("as if something were broken");
  };
};
const shows = ({ text }: { text: string }) => text.slice(text.indexOf("### "));
const passFailures = async () => {
  for (const pauseMs of FAILURE_PAUSES_MS) await core.clock.passNext(pauseMs);
};
const start = async (
  checkpoint: TestOptions["checkpoint"],
  subagent: Parameters<typeof roles>[0]["subagent"] = () => "done",
) => {
  const primary = delegates(["a", "b"], "on it");
  core = await startDelegating(roles({ primary, subagent, continuation: shows }), checkpoint ? { checkpoint } : {});
  await core.receive(userMessage("m-1", "go"));
};
const deadLetters = async () => {
  const ids: string[] = [];
  for await (const { value } of core.backbone.store.list(allDeadLetters())) ids.push(value.id);
  return ids;
};

describe("given a message about delegated work that the bus gives up", () => {
  it("when it is a subtask's run, then that one has failed with a reason, and its owner hears it at once (S7)", async () => {
    let broken = "";
    const breaks = breaksAt("subtask.received");
    // Only one of the two: whoever comes first.
    await start((name, about) => {
      if (name !== "subtask.received") return;
      broken ||= about ?? "";
      if (about === broken) breaks(name);
    });
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(
      /: failed\nIt was given up after 5 tries: each time something broke off the work\./,
    );
    expect(answer?.markdown).toMatch(/: completed\ndone/);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(2);
    expect((await subtask(core, broken)).result).toMatchObject({ status: "failed" });
    expect(await deadLetters()).toEqual([broken]);
  });

  it("when it is the word of an end, then the end is counted all the same (S7)", async () => {
    const primary = delegates(["a"], "on it", { consolidate: false });
    core = await startDelegating(roles({ primary, continuation: shows }), { checkpoint: breaksAt("end.received") });
    await core.receive(userMessage("m-1", "go"));
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/: completed\ndone/);
    expect(await deadLetters()).toEqual([expect.stringMatching(/^subtask-[0-9a-f]{8}\/end$/)]);
  });

  it("when it is the batch's timer, then the batch fires with what there is (B3)", async () => {
    const breaks = breaksAt("batch.stopped");
    const stuck = new Held();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await start(
      // The word of the stopped one never arrives.
      async (name) => (name === "end.received" && core.clock.now() >= startedAt + CEILING_MS ? held : breaks(name)),
      ({ text }) => (text === "do a" ? stuck.answer : "done"),
    );
    const startedAt = core.clock.now();
    await counted(core, "subtasks_total mooring completed", 1);
    await counted(core, "turns_total mooring answered", 1);
    await stuck.asked;
    await core.clock.passNext(CEILING_MS);
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/### a .*: timed out/);
    expect(answer?.markdown).toMatch(/### b .*: completed/);
    letGo();
  });
});

describe("given the record of a subtask that cannot be read", () => {
  it("when the ceiling comes, then it is listed as lost, and the rest is answered (B3)", async () => {
    let id = "";
    await start(async (name, about = "") => {
      if (name !== "spawn.created" || id !== "") return;
      id = about;
      await core.backbone.store.put(keyOf(collection("subtasks", z.unknown()), "default", AGENT, id), "garbage");
    });
    await counted(core, "turns_total mooring answered", 1);
    await core.clock.waits.until((waits) => waits.includes(CEILING_MS));
    await passFailures();
    core.clock.advance(CEILING_MS);
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(new RegExp(`\\(${id}\\): lost\\n`));
    expect(answer?.markdown).toMatch(/: completed\ndone/);
    expect(subtaskIds(core)).toContain(id);
  });
});

describe("given an answer from delegated work that is made in vain", () => {
  /** Throws when the synthesis begins, so many times. */
  const breaksSynthesis = (times: number, error: Error): NonNullable<TestOptions["checkpoint"]> => {
    let left = times;
    let isSynthesis = false;
    return (name) => {
      if (name !== "turn.opened") return;
      if (isSynthesis && left-- > 0) throw error;
      isSynthesis = true;
    };
  };

  it("when something broke it off each time, then the last run shows the results as they are (B3)", async () => {
    await start(breaksSynthesis(FAILURE_PAUSES_MS.length, new Error("as if something were broken")));
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/^I could not put these results into words of my own/);
  });

  it("when only the store was away, then it is made all the same once it is back (B3)", async () => {
    const pausesMs = [...FAILURE_PAUSES_MS, 32];
    await start(breaksSynthesis(pausesMs.length, new AppError("unavailable", "as if the store were away")));
    for (const pauseMs of pausesMs) await core.clock.passNext(pauseMs);
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/^### /);
  });
});

describe("given a subtask that has its place and cannot be begun", () => {
  /** Breaks once, when the first of them is there but nobody knows that it is to be run. */
  const breaksOnce = (): NonNullable<TestOptions["checkpoint"]> => {
    let left = 1;
    return (name) => {
      if (name === "spawn.created" && left-- > 0) throw new Error("as if something were broken");
    };
  };

  it("when others were begun with it, then it has failed with a reason, and nobody waits for it (S7)", async () => {
    await start(breaksOnce());
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/: failed\nIt could not be begun: as if something were broken/);
    expect(answer?.markdown).toMatch(/: completed\ndone/);
  });

  it("when it was to report alone, then its owner hears that (S7, S8)", async () => {
    const primary = delegates(["a"], "on it", { consolidate: false });
    core = await startDelegating(roles({ primary, continuation: shows }), { checkpoint: breaksOnce() });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/: failed\nIt could not be begun/);
  });

  it.each([{ blocking: true }, { consolidate: false }])(
    "when its turn is over before that, then its place is free (S9): %o",
    async (how) => {
      const reserved = new Recorder<string>();
      const primary = ({ text, outputs }: Asked) => outputs[0] ?? spawns([text], text === "first" ? how : {});
      core = await startDelegating(roles({ primary }), {
        turnDeadlineMs: 60_000,
        agent: { delegation: { ...defaultDelegation, running: 1 } },
        checkpoint: (name) => {
          if (name !== "spawn.reserved") return;
          reserved.add(name);
          return reserved.items.length === 1 ? new Promise(() => {}) : undefined;
        },
      });
      const first = core.ask("m-1", "first");
      await reserved.count(1);
      await core.clock.passNext(60_000);
      expect(await first).toMatchObject({ outcome: "failed" });
      expect((await core.ask("m-2", "second")).markdown).toMatch(/^Accepted/);
    },
  );
});
