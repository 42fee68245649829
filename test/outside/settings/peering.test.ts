import { beforeAll, describe, expect } from "vitest";
import { calls, Gate, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { timed } from "../../setup/stopwatch.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
/** Less than the defaults of the settings under test. */
const SOON_MS = 30_000;
const LATE_WINDOW_MS = 4_000;
/** The limit on tool rounds of the called peers for delegated work. */
const DELEGATED_ROUNDS = 5;
/** Holds the answers of the peer. */
const gate = new Gate();

const sends = (agent: string, msg_type: string) =>
  ({ name: "send_message_to_agent", arguments: { agent, message: "count the boats", msg_type } }) as const;
const isSubtask = ({ toolNames }: ModelRequest) => toolNames.includes("complete_subtask");

/** Sends the message of the person, "<msg_type> <agent> <times>", and repeats the tool results. */
const sending = (request: ModelRequest): ModelAnswer => {
  const { lastUserText, toolOutputs } = request;
  const [, type, agent, times] = /^(notify|consult|task_delegate) (\S+) (\d)/.exec(lastUserText) ?? [];
  if (type === undefined || agent === undefined) return says(`Heard: ${lastUserText}`);
  if (toolOutputs.length > 0) return says(`Heard: ${toolOutputs.join(" ")}`);
  return calls(Array.from({ length: Number(times) }, () => sends(agent, type)));
};
/** Starts a subtask that calls the peer. */
const delegating = (request: ModelRequest): ModelAnswer => {
  const { lastUserText, toolOutputs } = request;
  if (toolOutputs.length > 0) return says("on it");
  if (isSubtask(request)) return calls([sends("held", "task_delegate")]);
  if (lastUserText.startsWith("[")) return says(`Heard: ${lastUserText}`);
  return calls([{ name: "spawn_subtask", arguments: { name: "boats", prompt: "count the boats" } }]);
};
const curious = ({ body }: ModelRequest) =>
  body.tool_choice === "none" ? says("enough") : calls([{ name: "list_working_memory", arguments: {} }]);

beforeAll(async () => {
  models = await rig.models();
  const peers = ["held", "one-round", "three-rounds"];
  const brief = { interactiveCeilingMs: 500, graceMs: 0 };
  const askers = [
    { name: "plain", model: models.named("plain", sending) },
    { name: "impatient", model: models.named("impatient", sending), peering: { consultMs: 300 } },
    { name: "short", model: models.named("short", sending), peering: { expiryMs: 500 } },
    { name: "one-call", model: models.named("one-call", sending), peering: { openCalls: 1 } },
    {
      name: "late-at-once",
      model: models.named("late-at-once", delegating),
      delegation: brief,
      peering: { lateWindowMs: 0 },
    },
    {
      name: "late",
      model: models.named("late", delegating),
      delegation: brief,
      peering: { lateWindowMs: LATE_WINDOW_MS },
    },
  ];
  const asked = askers.map(({ name }) => name);
  const agents = [
    ...askers.map((agent) => ({ ...agent, peers, rights: { anonymous: ["default", "peers"] } })),
    {
      name: "held",
      model: models.named("held", () => says([gate, "seven boats"])),
      peers: asked,
    },
    {
      name: "one-round",
      model: models.named("one-round", curious),
      peers: asked,
      maxToolRounds: DELEGATED_ROUNDS,
      peering: { wakeToolRounds: 1 },
    },
    {
      name: "three-rounds",
      model: models.named("three-rounds", curious),
      peers: asked,
      maxToolRounds: DELEGATED_ROUNDS,
      peering: { wakeToolRounds: 3 },
    },
  ];
  const channels = Object.fromEntries(askers.map(({ name }) => [name, { adapter: "web", agent: name }]));
  mooring = await rig.start({ tenants: { default: { a2aAsync: true } }, agents, channels });
});

const say = async (agent: string, text: string) => {
  const visitor = mooring.client("visitor", agent);
  const { result, ms, undelayedMs } = await timed(() => visitor.answerTo(visitor.say(text)));
  return { visitor, markdown: result.markdown, tookMs: ms, undelayedMs };
};

describe("given agents with different settings for peers", () => {
  proves(
    ["agents[].peering.wakeToolRounds"],
    "when they get a notification or question, then each has the configured tool rounds, and delegated work has maxToolRounds (A5)",
    async () => {
      for (const [peer, rounds] of [
        ["one-round", 1],
        ["three-rounds", 3],
      ] as const) {
        let seen = 0;
        for (const [type, budget] of [
          ["notify", rounds],
          ["consult", rounds],
          ["task_delegate", DELEGATED_ROUNDS],
        ] as const) {
          await say("plain", `${type} ${peer} 1`);
          const requests = (await models.asked(peer, seen + budget + 1)).slice(seen);
          expect(requests.map(({ body }) => body.tool_choice === "none")).toEqual([...Array(budget).fill(false), true]);
          seen += budget + 1;
        }
      }
    },
  );

  proves(
    ["agents[].peering.openCalls"],
    "when they send two messages that expect an answer, then an agent with a limit of one may send one",
    async () => {
      expect((await say("plain", "task_delegate held 2")).markdown).not.toContain("Not sent");
      expect((await say("one-call", "task_delegate held 2")).markdown).toContain(
        "Not sent: the limit of 1 unanswered messages",
      );
    },
  );

  proves(
    ["agents[].peering.consultMs"],
    "when a question is not answered, then the caller continues after the configured timeout",
    async () => {
      const { markdown, undelayedMs } = await say("impatient", "consult held 1");
      expect(markdown).toContain("has not answered yet");
      expect(undelayedMs).toBeLessThan(SOON_MS);
    },
  );

  proves(
    ["agents[].peering.expiryMs"],
    "when a message is never answered, then people get a notice after the configured expiry",
    async () => {
      const { visitor } = await say("short", "task_delegate held 1");
      const isNotified = () => visitor.replies().some(({ markdown }) => markdown?.includes("no answer"));
      const { undelayedMs } = await timed(() => visitor.until(isNotified, "the end of the time"));
      expect(undelayedMs).toBeLessThan(SOON_MS);
    },
  );

  proves(
    ["agents[].peering.lateWindowMs"],
    "when an answer arrives after its caller has ended, then it is reported after the configured window, together with others",
    async () => {
      const agents = ["late-at-once", "late"] as const;
      const before = (await models.asked("held")).length;
      const visitors = await Promise.all(agents.map(async (agent) => (await say(agent, "count")).visitor));
      const finals = (agent: string) =>
        models.requests(agent).filter(({ lastUserText }) => lastUserText.startsWith("["));
      for (const agent of agents) await expect.poll(() => finals(agent).length).toBe(1);
      await models.asked("held", before + 2);
      const releasedAt = performance.now();
      gate.release();
      const tookMs = await Promise.all(
        agents.map(async (agent) => {
          await expect.poll(() => finals(agent).length).toBe(2);
          return performance.now() - releasedAt;
        }),
      );
      expect(tookMs[1]).toBeGreaterThan(LATE_WINDOW_MS);
      expect(tookMs[0]).toBeLessThan(tookMs[1] ?? 0);
      expect(visitors).toHaveLength(2);
    },
  );
});
