import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentReply } from "../../../core/contract/messages/agent-reply.ts";
import { english } from "../../../core/contract/texts/texts.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { projectFiles, projectRoot } from "../../setup/project-files.ts";
import type { CoreUnderTest, TestOptions } from "../core-under-test.ts";
import type { Asked, Roles } from "../subtasks/delegating.ts";
import { backgroundTask, counted, delegates, Held, roles, startDelegating, taskOf } from "../subtasks/delegating.ts";
import { beginWithSecond, expectSecondOrigin, isFinal, unsolicitedReply } from "./second-message.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const CEILING_MS = 300_000;
const GRACE_MS = 5_000;

const begin = async (parts: Partial<Roles>, options: TestOptions = {}, delegation: Record<string, unknown> = {}) => {
  const primary = (asked: Asked) =>
    asked.text === "go" ? delegates(["quick", "slow"], "on it", delegation)(asked) : "hello yourself";
  core = await startDelegating(roles({ primary, ...parts }), options);
  await beginWithSecond(core);
};

const unsolicited = (isIt: (reply: AgentReply) => boolean) => unsolicitedReply(core, isIt);
const expectOrigin = (reply: AgentReply) => expectSecondOrigin(core, reply);

describe("given each kind of unsolicited reply (O6)", () => {
  it("when a subtask makes progress, then the activity entry has the origin of the message that began the work", async () => {
    const held = new Held();
    await begin({ subagent: () => held.answer });
    await held.asked;
    await core.clock.passNext(500);
    expectOrigin(await unsolicited(({ kind }) => kind === "progress"));
  });

  it("when the last subtask has ended, then the completed entry has that origin", async () => {
    await begin({});
    expectOrigin(await unsolicited(({ kind }) => kind === "completion"));
  });

  it("when the results are consolidated, then the answer has that origin and its cause", async () => {
    await begin({});
    const reply = await unsolicited(isFinal);
    expectOrigin(reply);
    expect(reply.cause).toMatchObject({
      trigger: "synthesis",
      asker: { accountId: "ann", name: "Ann" },
      steps: [
        { kind: "subtask", name: "quick" },
        { kind: "subtask", name: "slow" },
      ],
    });
    expect(reply.cause?.rootTurnId).not.toBe(reply.cause?.turnId);
  });

  it("when the model cannot consolidate them, then the raw results have that origin", async () => {
    await begin({ continuation: () => new ModelFailed("credentials", "no key") });
    const reply = await unsolicited(isFinal);
    expect(reply.markdown).toContain("here they are unedited");
    expectOrigin(reply);
  });

  it("when a late result amends the answer, then the amendment has that origin", async () => {
    const slow = new Held();
    let reported: () => void = () => {};
    const reporting = new Promise<void>((resolve) => {
      reported = resolve;
    });
    let ends = 0;
    const checkpoint = async (name: string) => {
      if (name === "end.received" && ++ends === 2) await reporting;
    };
    const subagent = (asked: Asked) => (taskOf(asked) === "quick" ? "done" : slow.answer);
    await begin({ subagent }, { checkpoint });
    await counted(core, "turns_total mooring answered", 2);
    await slow.asked;
    slow.give("late but good");
    await core.clock.passNext(CEILING_MS);
    await core.clock.passNext(GRACE_MS);
    await unsolicited(isFinal);
    reported();
    const amendment = await unsolicited(({ cause }) => cause?.trigger === "amendment");
    expectOrigin(amendment);
    expect(amendment.cause?.steps).toMatchObject([{ kind: "subtask", name: "slow" }]);
  });

  it("when a subtask reports alone, then its report has that origin", async () => {
    await begin({}, {}, { consolidate: false });
    const reply = await unsolicited(isFinal);
    expectOrigin(reply);
    expect(reply.cause).toMatchObject({ trigger: "wake-up", steps: [{ kind: "subtask" }] });
  });

  it("when a subtask asks something, then the question has that origin", async () => {
    const subagent = ({ text, outputs }: Asked) =>
      text === "do slow" && outputs.length === 0
        ? calls({ name: "notify_owner", input: { type: "question", content: "which coast?" } })
        : "done";
    await begin({ subagent, continuation: ({ text }) => (text.includes("coast") ? "Which coast?" : "in short") });
    expectOrigin(await unsolicited(({ markdown }) => markdown === "Which coast?"));
  });

  it("when the answer is dead-lettered, then the failure notice has that origin", async () => {
    let isFired = false;
    let broken = 0;
    const checkpoint = async (name: string) => {
      if (name === "batch.fired") isFired = true;
      if (name === "turn.opened" && isFired && broken++ < 5) throw new Error("a bug");
    };
    // The bus pauses between retries by the real clock.
    await begin({}, { checkpoint, heldByClock: false });
    const reply = await unsolicited(isFinal);
    expect(reply.markdown).toBe(english.failures.internal);
    expectOrigin(reply);
  });

  it("when a scheduled run answers, then its answer has the origin of the run", async () => {
    core = await startDelegating(roles({ primary: () => "the news" }));
    await core.receive(backgroundTask("run-1", "tell the news"));
    const reply = await unsolicited(isFinal);
    expect(reply.origin).toMatchObject({ channel: "scheduled", promptSummary: "Morning brief" });
    expect(reply.cause).toMatchObject({ trigger: "task" });
  });
});

describe("given the source files (O6)", () => {
  it("then only one function publishes replies, and its types require an origin", () => {
    const publishers = projectFiles()
      .filter((file) => file.startsWith("core/") && file.endsWith(".ts"))
      .filter((file) => readFileSync(`${projectRoot}${file}`, "utf8").includes(".userResponse("));
    // The second republishes an unchanged reply.
    expect(publishers).toEqual(["core/delivery/publish-reply.ts", "core/delivery/undelivered/settle-undelivered.ts"]);
  });
});
