import { afterEach, describe, expect, it } from "vitest";
import { defaultDelegation } from "../../../core/turns/limits/agent-limits.ts";
import { calls } from "../../fakes/scripted-model.ts";
import type { CoreUnderTest } from "../core-under-test.ts";
import type { Asked } from "./delegating.ts";
import {
  backgroundTask,
  completions,
  counted,
  delegates,
  Held,
  roles,
  spawns,
  startDelegating,
  subtaskIds,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

/** Starts a schedule run whose subtask "outer" delegates to "inner" and ends its turn. */
const start = async (
  inner: (asked: Asked) => ReturnType<NonNullable<Parameters<typeof roles>[0]["subagent"]>>,
  outerReplies: (asked: Asked) => ReturnType<typeof inner> = () => "nothing to say to that",
  spawning: Record<string, unknown> = {},
) => {
  const outer = (asked: Asked) => {
    const prompts = asked.request.messages.flatMap((message) => (message.role === "user" ? message.text : []));
    const results = prompts.find((text) => text.startsWith("[results of"));
    if (results !== undefined) return `with ${results.split("\n").at(-1)}`;
    if (asked.text !== "do outer") return outerReplies(asked);
    return asked.outputs.length === 0 ? spawns(["inner"], spawning) : "waiting for inner";
  };
  core = await startDelegating(
    roles({
      primary: delegates(["outer"], "on it"),
      subagent: (asked) => (toolsOf(asked).includes("spawn_subtask") ? outer(asked) : inner(asked)),
      continuation: ({ text }) => text.split("\n").at(-1) ?? "",
    }),
  );
  await core.receive(backgroundTask("run-1", "go"));
};
const toolsOf = ({ request }: Asked) => request.tools.map(({ name }) => name);
const answer = async () => (await untilFinals(core, 1))[0]?.markdown;
const notifies = (type: string, content: string) => calls({ name: "notify_owner", input: { type, content } });

describe("given a subtask that has delegated and ended its turn", () => {
  it("when its child reports alone, then it does not end before the child, and gets the result (S8)", async () => {
    await start(
      () => "the inside",
      () => "",
      { consolidate: false },
    );
    expect(await answer()).toBe("with the inside");
  });

  it("when its child asks a question, then it answers while it waits, and gets the result (S3, S8)", async () => {
    await start(
      ({ text, outputs }) => {
        if (text.startsWith("[answer")) return `went ${text.split("\n")[1]}`;
        return outputs.length === 0 ? notifies("question", "left or right?") : "nobody said";
      },
      ({ text, outputs }) => {
        const [, id] = /^\[question from (subtask-[0-9a-f]{8}) "inner"\]\nleft or right\?/.exec(text) ?? [];
        if (outputs.length > 0) return "answered";
        return calls({ name: "message_subtask", input: { id, type: "answer", content: "left" } });
      },
    );
    expect(await answer()).toBe("with went left");
  });

  it("when its child reports an error, then it gets the error before the result (S8)", async () => {
    const disk = new Held();
    let received = "";
    await start(
      ({ outputs }) => (outputs.length === 0 ? notifies("error", "the disk is full") : disk.answer),
      ({ text }) => {
        received = text;
        disk.give("done anyway");
        return "all right";
      },
    );
    expect(await answer()).toBe("with done anyway");
    expect(received).toMatch(/^\[error from subtask-[0-9a-f]{8} "inner", priority high\]\nthe disk is full/);
  });

  it("when it gets more messages than it has phases, then it still gets the results (S8)", async () => {
    await start(({ outputs }) => (outputs.length < 8 ? notifies("error", `trouble ${outputs.length}`) : "at last"));
    expect(await answer()).toBe("with at last");
  });
});

describe("given a chat whose subtasks may delegate", () => {
  const agent = { delegation: { ...defaultDelegation, depthBelowAgent: 2 } };

  it("when a subtask is cancelled, then its children are cancelled too, and the activity entry never shows them (B1, S4)", async () => {
    const [outer, inner] = [new Held(), new Held()];
    core = await startDelegating(
      roles({
        primary: delegates(["outer"], "on it"),
        subagent: (asked) => {
          if (asked.text === "do inner") return inner.answer;
          return asked.outputs.length === 0 ? spawns(["inner"]) : outer.answer;
        },
      }),
      { agent },
    );
    await core.ask("m-1", "go");
    await Promise.all([outer.asked, inner.asked]);
    core.clock.advance(1_500);
    await core.replies.until((replies) => replies.some(({ kind }) => kind === "progress"));
    const [id = ""] = subtaskIds(core);
    await core.ask("m-2", "", { command: { name: "cancel", args: id } });
    await counted(core, "subtasks_total mooring cancelled", 2);
    const all = await core.replies.until((replies) => completions(replies).length === 1);
    const entries = all.filter(({ kind }) => kind === "progress" || kind === "completion");
    expect(entries.filter(({ markdown }) => markdown.includes("inner"))).toEqual([]);
  });

  it("when a subtask cancels another one of the same turn, then the call is refused (S6)", async () => {
    const other = new Held();
    const known = () => core.model.requests.until(() => subtaskIds(core).length === 2);
    core = await startDelegating(
      roles({
        primary: delegates(["meddler", "other"], "on it"),
        subagent: ({ text, outputs }) => {
          if (text === "do other") return other.answer;
          const ends = () => calls({ name: "cancel_subtask", input: { id: subtaskIds(core)[1] } });
          return outputs[0] ?? (() => known().then(ends));
        },
        continuation: ({ text }) => text.slice(text.indexOf("### ")),
      }),
      { agent },
    );
    await core.ask("m-1", "go");
    await counted(core, "subtasks_total mooring completed", 1);
    other.give("done");
    const answer = (await untilFinals(core, 2))[1]?.markdown;
    expect(answer).toMatch(/### meddler .*: completed\n.* belongs to another person/);
    expect(answer).toMatch(/### other .*: completed\ndone/);
  });
});
