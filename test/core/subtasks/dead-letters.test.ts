import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../../core/contract/app-error.ts";
import { allDeadLetters } from "../../../core/contract/ports/bus.ts";
import { collection, keyOf } from "../../../core/contract/ports/store.ts";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { Recorder } from "../../fakes/recorder.ts";
import { AGENT, type CoreUnderTest, type TestOptions, userMessage } from "../core-under-test.ts";
import {
  type Asked,
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

/** Throws at the first five passes of a checkpoint: then the message is a dead letter. */
const breaksAt = (at: string): NonNullable<TestOptions["checkpoint"]> => {
  let left = FAILURE_PAUSES_MS.length + 1;
  return (name) => {
    if (name === at && left-- > 0) throw new Error("simulated failure");
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

describe("given a message about delegated work that becomes a dead letter", () => {
  it("when it is the run of a subtask, then the subtask fails with a reason and its owner gets that at once (S7)", async () => {
    let broken = "";
    const breaks = breaksAt("subtask.received");
    // Breaks only the first of the two subtasks.
    await start((name, about) => {
      if (name !== "subtask.received") return;
      broken ||= about ?? "";
      if (about === broken) breaks(name);
    });
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/: failed\nIt failed after 5 attempts: each run was interrupted\./);
    expect(answer?.markdown).toMatch(/: completed\ndone/);
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(2);
    expect((await subtask(core, broken)).result).toMatchObject({ status: "failed" });
    expect(await deadLetters()).toEqual([broken]);
  });

  it("when it is the completion of a subtask, then the end is still counted (S7)", async () => {
    const primary = delegates(["a"], "on it", { consolidate: false });
    core = await startDelegating(roles({ primary, continuation: shows }), { checkpoint: breaksAt("end.received") });
    await core.receive(userMessage("m-1", "go"));
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/: completed\ndone/);
    expect(await deadLetters()).toEqual([expect.stringMatching(/^subtask-[0-9a-f]{8}\/end$/)]);
  });

  it("when it is the batch timer, then the batch fires with the results that exist (B3)", async () => {
    const breaks = breaksAt("batch.stopped");
    const stuck = new Held();
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await start(
      // The end of the stopped subtask never arrives.
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

describe("given a corrupt record of a subtask", () => {
  it("when the ceiling is reached, then the subtask is listed as lost, and the answer has the other results (B3)", async () => {
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

describe("given a synthesis that fails", () => {
  /** Throws at the start of the synthesis, `times` times. */
  const breaksSynthesis = (times: number, error: Error): NonNullable<TestOptions["checkpoint"]> => {
    let left = times;
    let isSynthesis = false;
    return (name) => {
      if (name !== "turn.opened") return;
      if (isSynthesis && left-- > 0) throw error;
      isSynthesis = true;
    };
  };

  it("when every attempt fails, then the last attempt publishes the results as they are (B3)", async () => {
    await start(breaksSynthesis(FAILURE_PAUSES_MS.length, new Error("simulated failure")));
    await passFailures();
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/^I could not summarise these results/);
  });

  it("when only the store was unavailable, then the synthesis runs once the store is back (B3)", async () => {
    const pausesMs = [...FAILURE_PAUSES_MS, 32];
    await start(breaksSynthesis(pausesMs.length, new AppError("unavailable", "simulated outage of the store")));
    for (const pauseMs of pausesMs) await core.clock.passNext(pauseMs);
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/^### /);
  });
});

describe("given a reserved subtask that cannot be started", () => {
  /** Throws once, after the first subtask is stored and before its run is published. */
  const breaksOnce = (): NonNullable<TestOptions["checkpoint"]> => {
    let left = 1;
    return (name) => {
      if (name === "spawn.created" && left-- > 0) throw new Error("simulated failure");
    };
  };

  it("when others are started with it, then it fails with a reason and the batch does not wait for it (S7)", async () => {
    await start(breaksOnce());
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toMatch(/: failed\nIt could not be started: simulated failure/);
    expect(answer?.markdown).toMatch(/: completed\ndone/);
  });

  it("when it reports alone, then its owner gets the failure (S7, S8)", async () => {
    const primary = delegates(["a"], "on it", { consolidate: false });
    core = await startDelegating(roles({ primary, continuation: shows }), { checkpoint: breaksOnce() });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]?.markdown).toMatch(/: failed\nIt could not be started/);
  });

  it.each([{ blocking: true }, { consolidate: false }])(
    "when its turn ends before it is created, then its slot is free (S9): %o",
    async (options) => {
      const reserved = new Recorder<string>();
      const primary = ({ text, outputs }: Asked) => outputs[0] ?? spawns([text], text === "first" ? options : {});
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
