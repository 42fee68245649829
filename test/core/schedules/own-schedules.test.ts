import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";
import { At, linkUp } from "../people/linked-core.ts";
import type { Asked } from "../subtasks/delegating.ts";
import { roles } from "../subtasks/delegating.ts";

const EVERY_10_MIN = { prompt: "look around", when: "every 10 m" };
const task = (description: string, more = {}) =>
  calls({ name: "schedule_task", input: { ...EVERY_10_MIN, description, ...more } });

let core: CoreUnderTest;
let ann: At;
let annOnPaper: At;
/** Has the same id on paper as Ann has on the web. */
let namesake: At;
/** The first step of a run; the run then answers with the tool outputs. */
let run: (asked: Asked) => ReturnType<typeof calls>;

beforeEach(async () => {
  const primary = (asked: Asked) => {
    const { text, outputs } = asked;
    if (outputs.length > 0) return outputs.join("\n");
    if (text.startsWith("Scheduled task")) return run(asked);
    return text === "here" ? task("Another's") : task("Brief", { deliverTo: "paper" });
  };
  core = await CoreUnderTest.start(roles({ primary }), { heldByClock: true });
  ann = new At(core, "web", "ann");
  annOnPaper = new At(core, "paper", "anne");
  namesake = new At(core, "paper", "ann");
  await linkUp(ann, annOnPaper);
  await ann.say("to paper");
});
afterEach(() => core.dispose());

const nextRun = async (): Promise<AgentReply> => {
  await core.clock.waits.until((waits) => waits.some((wait) => wait > 0 && wait <= 600_000));
  core.clock.advance(600_000);
  const isIt = ({ correlationId, kind, markdown }: AgentReply) =>
    correlationId === undefined && kind === "final" && markdown !== "";
  return (await core.replies.until((replies) => replies.some(isIt))).find(isIt) as AgentReply;
};

describe("given a run whose result goes to another account of its creator (P2, D3)", () => {
  it("when it lists schedules, then it sees those of its creator, not those of an account with the same id there", async () => {
    await namesake.say("here");
    run = ({ text }) =>
      text.includes("Brief") ? calls({ name: "list_schedules", input: {} }) : calls({ name: "nothing_to_say" });
    const { markdown, audience } = await nextRun();
    expect(audience).toMatchObject({ conversation: annOnPaper.conversation, accountId: "anne" });
    expect(markdown).toContain('"Brief"');
    expect(markdown).not.toContain("Another's");
  });

  it("when it creates a schedule, then the schedule belongs to its creator, not to the account with the same id", async () => {
    run = () => task("Follow-up");
    expect((await nextRun()).markdown).toContain("Scheduled as");
    expect(await ann.command("schedules")).toContain("Follow-up");
    expect(await annOnPaper.command("schedules")).toContain("Follow-up");
    expect(await namesake.command("schedules")).toContain("You have no schedules");
  });
});

describe("given a person who asks for their schedules in a shared conversation (I3)", () => {
  it("when the answer is private, then it includes those created in private, and other people do not get them", async () => {
    const ask = (who: string) =>
      new At(core, "web", who, "shared").say("", { command: { name: "schedules", args: "" } });
    expect(await ask("ann")).toMatchObject({ onlyFor: "ann", markdown: expect.stringContaining('"Brief"') });
    expect(await ask("bob")).toMatchObject({ onlyFor: "bob", markdown: expect.stringContaining("no schedules") });
  });
});
