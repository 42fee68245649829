import { afterEach, describe, expect, it } from "vitest";
import { subtaskKey } from "../../../../core/subtasks/record/subtask-record.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { AGENT } from "../../core-under-test.ts";
import { type Asked, delegates, Held, roles, subtaskIds } from "../../subtasks/delegating.ts";
import { type Pair, type PairOptions, sends, startPair, unsolicited, untilUnsolicited } from "../peers-under-test.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

const CEILING_MS = 300_000;
const helds = new Map<string, Held>();
const heldFor = (topic: string): Held => {
  const held = helds.get(topic) ?? new Held();
  helds.set(topic, held);
  return held;
};

/** Each topic of a message has a subtask, which asks the peer about it and ends before the peer has answered. */
const begin = async (messages: Readonly<Record<string, readonly string[]>>, options: PairOptions = {}) => {
  helds.clear();
  listed = 0;
  pair = await startPair(
    roles({
      primary: (asked: Asked) => delegates(messages[asked.text] ?? [], "on it")(asked),
      subagent: (asked) => sends({ message: `about ${asked.text}`, msg_type: "task_delegate" }, "waiting")(asked),
      continuation: ({ text }) =>
        text.startsWith("[late")
          ? `late: ${[...text.matchAll(/found (\w+)/g)].map(([, topic]) => topic).sort()}`
          : "so far",
    }),
    ({ messages: sent }) => {
      const last = sent.at(-1);
      return heldFor(/about do (\w+)/.exec(last?.role === "user" ? last.text : "")?.[1] ?? "").answer;
    },
    { checkpoint, ...options },
  );
  const { core } = pair;
  for (const text of Object.keys(messages)) await core.ask(text, text);
  for (const topic of Object.values(messages).flat()) await heldFor(topic).asked;
  core.clock.advance(CEILING_MS);
  await untilUnsolicited(core, Object.keys(messages).length);
  return core;
};

let listed = 0;
const checkpoint = (name: string) => {
  if (name === "late.listed") listed++;
};

/** The peer answers; resolves once all answers are listed as late. */
const answer = async (topics: readonly string[]): Promise<void> => {
  const all = listed + topics.length;
  for (const topic of topics) heldFor(topic).give(`found ${topic}`);
  while (listed < all) await new Promise(setImmediate);
};

const lateReplies = () => unsolicited(pair.core.replies.items).filter(({ markdown }) => markdown.startsWith("late:"));

describe("given many late answers (L5)", () => {
  it("when they arrive in two waves, then two turns report them, at least 30 seconds apart", async () => {
    const core = await begin({ go: ["a", "b", "c", "d", "e", "f", "g", "h"] });
    await answer(["a", "b", "c", "d", "e"]);
    await core.clock.passNext(2_000);
    await untilUnsolicited(core, 2);
    await answer(["f", "g", "h"]);
    await core.clock.passNext(28_000, 30_000);
    await untilUnsolicited(core, 3);
    expect(lateReplies().map(({ markdown }) => markdown)).toEqual([
      "late: a,b,c,d,e\n\n_From harbour._",
      "late: f,g,h\n\n_From harbour._",
    ]);
  });

  it("when the clock is set back between two waves, then the second wave does not wait longer (F14)", async () => {
    const core = await begin({ go: ["a", "b"] });
    await answer(["a"]);
    await core.clock.passNext(2_000);
    await untilUnsolicited(core, 2);
    core.clock.jump(-2 * 3_600_000);
    await answer(["b"]);
    await core.clock.passNext(2_000);
    await untilUnsolicited(core, 3);
    expect(lateReplies()).toHaveLength(2);
  });

  it("when they belong to two questions, then each report has the origin of its question", async () => {
    const core = await begin({ first: ["a"], second: ["b"] });
    await answer(["a", "b"]);
    await core.clock.passNext(2_000);
    await untilUnsolicited(core, 3);
    await core.clock.passNext(28_000, 30_000);
    await untilUnsolicited(core, 4);
    const reported = lateReplies().map(({ markdown, origin }) => [markdown.split("\n")[0], origin?.promptSummary]);
    expect(reported.sort()).toEqual([
      ["late: a", "first"],
      ["late: b", "second"],
    ]);
  });
});

describe("given an answer for a subtask whose record has expired", () => {
  it("when it arrives, then one warning is logged and no turn runs (L1, L4)", async () => {
    const logger = new RecordingLogger();
    const core = await begin({ go: ["a"] }, { logger });
    const [id = ""] = subtaskIds(core);
    await core.backbone.store.delete(subtaskKey({ tenant: "default", agent: AGENT, id }));
    heldFor("a").give("found a");
    const isWarning = ({ message }: { message: string }) => message === "subtask has expired, peer update dropped";
    expect((await logger.lines.until((lines) => lines.some(isWarning))).filter(isWarning)).toHaveLength(1);
    await core.ask("last", "", { command: { name: "help", args: "" } });
    expect(lateReplies()).toEqual([]);
  });
});
