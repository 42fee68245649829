import { afterEach, describe, expect, it } from "vitest";
import { update } from "../../../core/contract/ports/update.ts";
import { subtaskKey } from "../../../core/subtasks/record/subtask-record.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { AGENT, type CoreUnderTest, userMessage } from "../core-under-test.ts";
import type { Asked, Roles } from "./delegating.ts";
import {
  delegates,
  finals,
  Held,
  roles,
  spawns,
  startDelegating,
  subtask,
  subtaskIds,
  untilBegun,
  untilFinals,
} from "./delegating.ts";

let core: CoreUnderTest;
const start = async (played: Roles) => {
  core = await startDelegating(roles(played));
};
afterEach(() => core.dispose());

const notifies = (type: string, content: string, rest = {}) =>
  calls({ name: "notify_owner", input: { type, content, ...rest } });
const idIn = (text: string) => /subtask-[0-9a-f]{8}/.exec(text)?.[0];
const tells = (id: string | undefined, type: string, content: string) =>
  calls({ name: "message_subtask", input: { id, type, content } });

describe("given a subtask that asks its owner a question", () => {
  it("when the owner knows the answer, then it answers in a separate turn and the subtask continues with it (S3, S6, S8)", async () => {
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ text, outputs }) => {
        if (text.startsWith("[answer")) return `went ${text.split("\n")[1]}`;
        return outputs.length === 0 ? notifies("question", "left or right?") : "no answer came";
      },
      continuation: ({ text, outputs }) => {
        if (!text.startsWith("[question")) return text.split("\n").at(-1) ?? "";
        return outputs.length === 0 ? tells(idIn(text), "answer", "left") : calls({ name: "nothing_to_say" });
      },
    });
    await core.receive(userMessage("m-1", "go"));
    const [, answer] = await untilFinals(core, 2);
    expect(answer?.markdown).toBe("went left");
  });

  it("when no answer arrives before the timeout, then the call says so and the subtask continues (S6)", async () => {
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) => outputs[0] ?? notifies("permission_request", "may I?", { waitSeconds: 30 }),
      continuation: ({ text }) =>
        text.startsWith("[permission_request") ? "Ann, may it?" : (text.split("\n").at(-1) ?? ""),
    });
    await core.receive(userMessage("m-1", "go"));
    expect((await untilFinals(core, 2))[1]).toMatchObject({
      markdown: "Ann, may it?",
      origin: { promptSummary: "go" },
    });
    for (let n = 0; n < 10; n++) await core.clock.passNext(3_000);
    expect((await untilFinals(core, 3))[2]?.markdown).toContain("No answer yet");
  });

  it("when the owner waits in await_subtasks, then that call returns the question (S3)", async () => {
    await start({
      primary: ({ outputs }) => {
        const last = outputs.at(-1) ?? "";
        if (outputs.length === 0) return spawns(["a"]);
        if (outputs.length === 1) return calls({ name: "await_subtasks" });
        if (last.includes("asks: which?")) return tells(idIn(last), "answer", "this one");
        return last.startsWith("Sent.") ? calls({ name: "await_subtasks" }) : last;
      },
      subagent: ({ text, outputs }) => {
        if (text.startsWith("[answer")) return `took ${text.split("\n")[1]}`;
        return outputs.length === 0 ? notifies("question", "which?") : "gave up";
      },
      continuation: () => "asked again",
    });
    expect((await core.ask("m-1", "go")).markdown).toContain("took this one");
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    expect(finals(core.replies.items)).toHaveLength(1);
  });
});

/** Starts a subtask whose answer the test releases; the next message to its owner sends it a refinement. */
const startRefinable = async (): Promise<Held> => {
  const thinking = new Held();
  await start({
    primary: (asked) =>
      asked.text === "go"
        ? delegates(["a"], "on it")(asked)
        : (asked.outputs[0] ?? tells(subtaskIds(core)[0], "refinement", "in French")),
    subagent: ({ text }) => (text.startsWith("[refinement") ? `redone ${text.split("\n")[1]}` : thinking.answer),
    continuation: ({ text }) => text.split("\n").at(-1) ?? "",
  });
  await core.ask("m-1", "go");
  await thinking.asked;
  return thinking;
};

const CHILD = { id: "subtask-00000001", name: "inner", type: "error", priority: "high" };

describe("given a running subtask", () => {
  it("when its owner sends a refinement, then the subagent reads it before its next step (S6)", async () => {
    const thinking = await startRefinable();
    expect((await core.ask("m-2", "in French please")).markdown).toContain("reads it before its next step");
    thinking.give("first version");
    expect((await untilFinals(core, 3))[2]?.markdown).toBe("redone in French");
  });

  it.each([
    ["its owner has sent 19 messages", "accepts", 19, {}, "reads it before its next step"],
    ["its owner has sent 20 messages", "refuses", 20, {}, "has reached the maximum of 20 messages; cancel it instead."],
    ["its children have sent 20 messages", "accepts", 20, { child: CHILD }, "reads it before its next step"],
    ["another agent has sent 20 messages", "accepts", 20, { from: "harbour" }, "reads it before its next step"],
  ])("when %s, then it %s one more of its owner (S6)", async (_given, then, count, sender, answer) => {
    await startRefinable();
    const address = { tenant: "default", agent: AGENT, id: subtaskIds(core)[0] ?? "" };
    await untilBegun(core, address.id);
    const at = "2026-03-10T21:14:05.000Z";
    const inbox = Array.from({ length: count }, (_, n) => ({
      id: `note-${n}`,
      type: "refinement" as const,
      content: "x",
      at,
      ...sender,
    }));
    await update(core.backbone.store, subtaskKey(address), (known) => known && { ...known, inbox });
    expect((await core.ask("m-2", "in French please")).markdown).toContain(answer);
    expect((await subtask(core, address.id)).inbox).toHaveLength(then === "accepts" ? count + 1 : count);
  });

  it("when notes and a large result exceed the record size, then both are cut and none is lost (S7)", async () => {
    const thinking = new Held();
    const refinements = (id: string | undefined) =>
      Array.from({ length: 7 }, (_, n) => ({
        name: "message_subtask",
        input: { id, type: "refinement", content: "難".repeat(8_000) },
        id: `refinement-${n}`,
      }));
    let received = 0;
    await start({
      primary: (asked) => {
        if (asked.text === "go") return delegates(["a"], "on it")(asked);
        return asked.outputs.length < 14 ? calls(...refinements(subtaskIds(core)[0])) : asked.outputs.join("\n");
      },
      subagent: ({ text, request }) => {
        received = JSON.stringify(request.messages).match(/"\[refinement/g)?.length ?? 0;
        return text.startsWith("[refinement") ? "難".repeat(90_000) : thinking.answer;
      },
      continuation: ({ text }) => text.split("\n").at(-2)?.slice(0, 5) ?? "",
    });
    await core.ask("m-1", "go");
    await thinking.asked;
    expect((await core.ask("m-2", "more")).markdown.match(/reads it before its next step/g)).toHaveLength(14);
    thinking.give("first version");
    expect((await untilFinals(core, 3))[2]?.markdown).toBe("難難難難難");
    expect(received).toBe(14);
  });

  it("when the asker cancels it with the command, then it stops and the answer lists it as cancelled (I3, S4)", async () => {
    await start({
      primary: delegates(["a", "b"], "on it"),
      subagent: ({ text }) => (text === "do a" ? new Held().answer : "done"),
      continuation: ({ text }) => [...text.matchAll(/### (.*)\(.*\): (.*)/g)].map(([, a, b]) => `${a}${b}`).join(),
    });
    await core.ask("m-1", "go");
    const id = subtaskIds(core)[0] ?? "";
    const notice = await core.ask("m-2", "", { command: { name: "cancel", args: id } });
    expect(notice.markdown).toBe('"a" is cancelled.');
    expect((await untilFinals(core, 2))[1]?.markdown).toBe("a cancelled,b completed");
    expect((await core.ask("m-3", "", { command: { name: "cancel", args: id } })).markdown).toContain("already ended");
    expect((await core.ask("m-4", "", { command: { name: "cancel", args: "x" } })).markdown).toContain(
      "An id looks like",
    );
  });

  it("when another session of the asker cancels it with the tool, then it is cancelled (S6)", async () => {
    await start({
      primary: (asked) =>
        asked.text === "go"
          ? delegates(["a"], "on it")(asked)
          : (asked.outputs[0] ?? calls({ name: "cancel_subtask", input: { id: subtaskIds(core)[0] } })),
      subagent: () => new Held().answer,
    });
    await core.ask("m-1", "go");
    const elsewhere = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
    expect((await core.ask("m-2", "stop it", elsewhere)).markdown).toMatch(/is cancelled\.$/);
  });

  it("when another session of the asker sends a refinement, then the subagent reads it (S6)", async () => {
    const thinking = await startRefinable();
    const elsewhere = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
    expect((await core.ask("m-2", "in French please", elsewhere)).markdown).toContain("reads it before its next step");
    thinking.give("first version");
    const answer = (await untilFinals(core, 3))[2];
    expect(answer).toMatchObject({ markdown: "redone in French", audience: { conversation: { room: "room-1" } } });
  });

  it("when its owner lists subtasks, then the list shows status and origin of the work (S1, S2)", async () => {
    const thinking = new Held();
    await start({
      primary: (asked) =>
        asked.text === "go"
          ? delegates(["a"], "on it")(asked)
          : (asked.outputs[0] ?? calls({ name: "list_subtasks", input: {} })),
      subagent: ({ outputs }) => (outputs.length === 0 ? notifies("status_update", "half\nway") : thinking.answer),
    });
    const link = "https://chat.example/room-1/m-1";
    await core.ask("m-1", "go", { link });
    await thinking.asked;
    const [id] = subtaskIds(core);
    const { markdown } = await core.ask("m-2", "how is it going?");
    expect(markdown).toBe(
      `- ${id} "a": running, since 2026-03-10T21:14:05.000Z, depth 1; last status: half way; started in ${link}`,
    );
    thinking.give("done");
    expect((await untilFinals(core, 3))[2]?.origin).toMatchObject({ link });
  });

  it("when it reports an error, then its owner gets a turn about it and the subtask continues (S8)", async () => {
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) => (outputs.length === 0 ? notifies("error", "the disk is full") : "done anyway"),
      continuation: ({ text }) => (text.startsWith("[error") ? `got: ${text.split("\n")[1]}` : "all done"),
    });
    await core.receive(userMessage("m-1", "go"));
    const said = (await untilFinals(core, 3)).map(({ markdown }) => markdown).sort();
    expect(said).toEqual(["all done", "got: the disk is full", "on it"]);
  });
});

describe("given an ended subtask", () => {
  it("when its owner requests a retry, then a new subtask runs, and that one cannot be retried (S4, S6)", async () => {
    const results = ["bad", "good"];
    await start({
      primary: (asked: Asked) => {
        if (asked.text === "go") return delegates(["a"], "on it")(asked);
        return asked.outputs[0] ?? tells(asked.text, "retry_request", "with more care");
      },
      subagent: ({ text }) => `${results.shift()} ${text.includes("with more care")}`,
      continuation: ({ text }) => text.split("\n").at(-1) ?? "",
    });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const [first = ""] = subtaskIds(core);
    const reply = await core.ask("m-2", first);
    const second = reply.markdown.match(/subtask-[0-9a-f]{8}/g)?.[1] ?? "";
    expect((await untilFinals(core, 4)).at(-1)?.markdown).toBe("good true");
    expect(await subtask(core, second)).toMatchObject({ retryOf: first, status: "completed" });
    expect((await subtask(core, first)).result?.output).toBe("bad false");
    expect((await core.ask("m-3", second)).markdown).toContain("was a retry already");
  });

  it("when its asker requests a retry in a shared room, then it is refused there, and accepted in private (D3, S6)", async () => {
    await start({
      primary: (asked: Asked) => {
        if (asked.text === "go") return delegates(["a"], "on it")(asked);
        return asked.outputs[0] ?? tells(idIn(asked.text), "retry_request", "once more");
      },
    });
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    const [first = ""] = subtaskIds(core);
    const lobby = { conversation: { channel: "web", room: "lobby", kind: "shared" as const } };
    const refused = await core.ask("m-2", first, lobby);
    expect(refused.markdown).toBe(`${first} began in another conversation. It can only be started again there.`);
    expect(subtaskIds(core)).toEqual([first]);
    const elsewhere = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
    expect((await core.ask("m-3", first, elsewhere)).markdown).toContain("retries it");
  });
});
