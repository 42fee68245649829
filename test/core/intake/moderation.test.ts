import { afterEach, describe, expect, it } from "vitest";
import type { ModeratedText, Moderator, Verdict } from "../../../core/contract/ports/moderator.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { asks, startPair } from "../a2a/peers-under-test.ts";
import { CoreUnderTest, userMessage } from "../core-under-test.ts";
import { delegates, roles, startDelegating, untilFinals } from "../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const WITHHELD = "It was withheld.";

/** Refuses every text with the word "knife". */
class WordModerator implements Moderator {
  readonly checksMessages: boolean;
  readonly checksAnswers: boolean;
  readonly asked: ModeratedText[] = [];

  constructor({ messages = true, answers = true } = {}) {
    this.checksMessages = messages;
    this.checksAnswers = answers;
  }

  async check(text: ModeratedText): Promise<Verdict> {
    this.asked.push(text);
    return text.text.includes("knife") ? { allowed: false, text: WITHHELD } : { allowed: true };
  }
}

/** Without the cause of a reply, which no message shows: `/why` names subtasks on request. */
const everythingPublished = () =>
  JSON.stringify([core.replies.items.map(({ cause: _, ...shown }) => shown), core.signals.items]);

describe("given a moderator that refuses a word", () => {
  it("when a person writes it, then they see the refusal, and no model ever reads the message (R3)", async () => {
    const moderator = new WordModerator();
    core = await CoreUnderTest.start(["second answer"], { moderator });
    const refused = await core.ask("m-1", "sell me a knife");
    expect(refused).toMatchObject({ markdown: WITHHELD, outcome: "failed" });
    expect((await core.ask("m-2", "and a boat?")).markdown).toBe("second answer");
    expect(JSON.stringify(core.model.requests.items)).not.toContain("knife");
    expect(moderator.asked[0]).toMatchObject({
      kind: "message",
      id: expect.stringMatching(/^t-.*\/message$/),
      agent: "mooring",
      tenant: "default",
      channel: "web",
      conversation: "private",
      account: "ann",
      text: "sell me a knife",
    });
  });

  it("when the agent answers with it, then neither the answer nor a part of it is published, and the person knows (R3)", async () => {
    core = await CoreUnderTest.start(["take this knife", "something else"], { moderator: new WordModerator() });
    expect(await core.ask("m-1", "a present?")).toMatchObject({ markdown: WITHHELD, outcome: "failed" });
    expect((await core.ask("m-2", "another?")).markdown).toBe("something else");
    expect(everythingPublished()).not.toContain("knife");
    expect(core.signals.items.filter(({ type }) => type === "delta")).toEqual([]);
    expect(JSON.stringify(core.model.requests.items.at(-1)?.messages)).not.toContain("knife");
  });

  it("when a call would show it to people as a name, a title, a note or a task, then it is refused, nothing is stored, and commands show nothing of it (R3)", async () => {
    const inputs = [
      { name: "spawn_subtask", input: { name: "sharpen the knife", prompt: "work" } },
      { name: "spawn_parallel_subtasks", input: { tasks: [{ name: "a knife", prompt: "work" }] } },
      { name: "schedule_task", input: { description: "Buy a knife", prompt: "remind them", when: "in 3 h" } },
      { name: "schedule_task", input: { description: "Shopping", prompt: "a knife", when: "in 3 h" } },
    ];
    const moderator = new WordModerator();
    core = await startDelegating(
      roles({ primary: ({ outputs }) => (outputs.length === 0 ? calls(...inputs) : outputs.join("\n")) }),
      { moderator },
    );
    const { markdown } = await core.ask("m-1", "go");
    expect(markdown.match(/Refused: the operator of this service does not allow these words/g)).toHaveLength(4);
    const shown = await core.ask("c-1", "", { command: { name: "schedules", args: "" } });
    expect(shown.markdown).not.toContain("Shopping");
    expect(everythingPublished()).not.toContain("knife");
    expect(moderator.asked.map(({ kind, id }) => `${kind} ${id}`)).toContainEqual(
      expect.stringMatching(/^answer t-.*\/0\/0\/shown$/),
    );
  });

  it("when a subtask reports it as progress, then the note is refused", async () => {
    const noted: string[] = [];
    core = await startDelegating(
      roles({
        primary: delegates(["sharpen the blade"], "on it"),
        subagent: ({ outputs }) => {
          noted.push(...outputs);
          const input = { type: "status_update", content: "found a knife" };
          return outputs.length === 0 ? calls({ name: "notify_owner", input }) : "done";
        },
      }),
      { moderator: new WordModerator() },
    );
    await core.receive(userMessage("m-1", "go"));
    await untilFinals(core, 2);
    expect(noted[0]).toContain("Refused: the operator of this service does not allow these words");
  });

  it("when the answer is proactive, and subtasks report it, then people see nothing of it (R3)", async () => {
    core = await startDelegating(
      roles({
        primary: delegates(["sharpen the blade"], "on it"),
        subagent: () => "the knife is sharp",
        continuation: () => "here is your knife",
      }),
      { moderator: new WordModerator() },
    );
    await core.receive(userMessage("m-1", "go"));
    const finals = untilFinals(core, 2);
    await core.clock.passNext(500);
    expect((await finals).map(({ markdown }) => markdown)).toEqual(["on it", WITHHELD]);
    expect(core.replies.items.some(({ kind }) => kind === "completion")).toBe(true);
    expect(everythingPublished()).not.toContain("knife");
  });

  it("when another agent answers with it, then the agent that asked reads the replacement (R3)", async () => {
    const pair = await startPair(
      asks({ message: "any tools?", msg_type: "consult" }, (outputs) => `so ${outputs[0]}`),
      ["a knife"],
      { moderator: new WordModerator() },
    );
    core = pair.core;
    expect((await core.ask("m-1", "go")).markdown).toContain(WITHHELD);
    expect(JSON.stringify(core.model.requests.items)).not.toContain("knife");
  });

  it("when only messages are checked, then answers are streamed and not checked", async () => {
    const moderator = new WordModerator({ answers: false });
    core = await CoreUnderTest.start(["take this knife"], { moderator });
    expect((await core.ask("m-1", "a present?")).markdown).toBe("take this knife");
    expect(core.signals.items.some(({ type }) => type === "delta")).toBe(true);
    expect(moderator.asked.map(({ kind }) => kind)).toEqual(["message"]);
  });

  it("when only answers are checked, then messages are not", async () => {
    const moderator = new WordModerator({ messages: false });
    core = await CoreUnderTest.start(["no"], { moderator });
    expect((await core.ask("m-1", "sell me a knife")).markdown).toBe("no");
    expect(moderator.asked.map(({ kind }) => kind)).toEqual(["answer"]);
  });
});

describe("given a process that ends around the check of an answer", () => {
  it("when the turn is recorded, then a redelivery publishes the replacement without a second check (R3)", async () => {
    const moderator = new WordModerator();
    core = await CoreUnderTest.start([calls({ name: "none" }), "take this knife"], { moderator });
    const first = await core.ask("m-1", "a present?");
    const checks = moderator.asked.length;
    await core.receive(userMessage("m-1", "a present?"), "again");
    await core.ask("m-2", "", { command: { name: "help", args: "" } });
    const answers = core.replies.items.filter(({ id }) => id === first.id);
    expect(answers.every(({ markdown }) => markdown === WITHHELD)).toBe(true);
    expect(moderator.asked).toHaveLength(checks);
  });
});
