import { afterEach, describe, expect, it } from "vitest";
import { calls } from "../../fakes/scripted-model.ts";
import { type CoreUnderTest, userMessage } from "../core-under-test.ts";
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

describe("given a subtask that asks its owner something", () => {
  it("when the owner knows, then it answers in a turn of its own and the subtask goes on with that (S3, S6, S8)", async () => {
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

  it("when nobody answers in time, then it is told so and goes on (S6)", async () => {
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

  it("when the owner waits for it, then the question comes with the wait (S3)", async () => {
    await start({
      primary: ({ outputs }) => {
        const last = outputs.at(-1) ?? "";
        if (outputs.length === 0) return spawns(["a"]);
        if (outputs.length === 1) return calls({ name: "await_subtasks" });
        if (last.includes("asks: which?")) return tells(idIn(last), "answer", "this one");
        return last.includes("is told") ? calls({ name: "await_subtasks" }) : last;
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

/** A subtask that thinks until it is let, whose owner's next turn asks for French. */
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

describe("given a subtask that is under way", () => {
  it("when its owner refines it, then it sees that before its next step (S6)", async () => {
    const thinking = await startRefinable();
    expect((await core.ask("m-2", "in French please")).markdown).toContain("is told before its next step");
    thinking.give("first version");
    expect((await untilFinals(core, 3))[2]?.markdown).toBe("redone in French");
  });

  it("when it is told more than can be kept beside a large result, then both are cut, and none is lost (S7)", async () => {
    const thinking = new Held();
    const words = (id: string | undefined) =>
      Array.from({ length: 7 }, (_, n) => ({
        name: "message_subtask",
        input: { id, type: "refinement", content: "難".repeat(8_000) },
        id: `word-${n}`,
      }));
    let heard = 0;
    await start({
      primary: (asked) => {
        if (asked.text === "go") return delegates(["a"], "on it")(asked);
        return asked.outputs.length < 14 ? calls(...words(subtaskIds(core)[0])) : asked.outputs.join("\n");
      },
      subagent: ({ text, request }) => {
        heard = JSON.stringify(request.messages).match(/"\[refinement/g)?.length ?? 0;
        return text.startsWith("[refinement") ? "難".repeat(90_000) : thinking.answer;
      },
      continuation: ({ text }) => text.split("\n").at(-2)?.slice(0, 5) ?? "",
    });
    await core.ask("m-1", "go");
    await thinking.asked;
    expect((await core.ask("m-2", "more")).markdown.match(/is told before its next step/g)).toHaveLength(14);
    thinking.give("first version");
    expect((await untilFinals(core, 3))[2]?.markdown).toBe("難難難難難");
    expect(heard).toBe(14);
  });

  it("when it is cancelled by the asker's command, then it stops, and the answer says so (I3, S4)", async () => {
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

  it("when another session of the asker cancels it by the tool, then it may (S6)", async () => {
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

  it("when another session of the asker refines it, then it is told (S6)", async () => {
    const thinking = await startRefinable();
    const elsewhere = { conversation: { channel: "web", room: "room-2", kind: "private" as const } };
    expect((await core.ask("m-2", "in French please", elsewhere)).markdown).toContain("is told before its next step");
    thinking.give("first version");
    const answer = (await untilFinals(core, 3))[2];
    expect(answer).toMatchObject({ markdown: "redone in French", audience: { conversation: { room: "room-1" } } });
  });

  it("when its owner looks, then it sees how it goes, and where the work was begun (S1, S2)", async () => {
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
      `- ${id} "a": running, since 2026-03-10T21:14:05.000Z, depth 1; last word: half way; begun in ${link}`,
    );
    thinking.give("done");
    expect((await untilFinals(core, 3))[2]?.origin).toMatchObject({ link });
  });

  it("when it reports an error on the way, then its owner hears of it and it goes on (S8)", async () => {
    await start({
      primary: delegates(["a"], "on it"),
      subagent: ({ outputs }) => (outputs.length === 0 ? notifies("error", "the disk is full") : "done anyway"),
      continuation: ({ text }) => (text.startsWith("[error") ? `heard: ${text.split("\n")[1]}` : "all done"),
    });
    await core.receive(userMessage("m-1", "go"));
    const said = (await untilFinals(core, 3)).map(({ markdown }) => markdown).sort();
    expect(said).toEqual(["all done", "heard: the disk is full", "on it"]);
  });
});

describe("given a subtask that has ended", () => {
  it("when a retry is asked for, then a new one does it, once (S4, S6)", async () => {
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
    expect((await core.ask("m-3", second)).markdown).toContain("was a second try already");
  });

  it("when its asker wants a retry where others read along, then it is not begun there; in private it is (D3, S6)", async () => {
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
    expect((await core.ask("m-3", first, elsewhere)).markdown).toContain("does it once more");
  });
});
