import { beforeAll, describe, expect } from "vitest";
import { calls, Gate, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
/** Holds the turns of people who say "wait". */
const gate = new Gate();

const waiting = ({ lastUserText }: ModelRequest) =>
  lastUserText.includes("wait") ? says([gate, "done"]) : says("at once");
/** Reads its notes as often as its limit allows. */
const curious = (request: ModelRequest) =>
  request.body.tool_choice === "none" ? says("enough") : calls([{ name: "list_schedules", arguments: {} }]);

/** Two agents for each setting, one with it and one without; each answers on a channel with its name. */
beforeAll(async () => {
  models = await rig.models();
  const agents = [
    { name: "plain", model: models.named("plain") },
    { name: "directed", model: models.named("directed"), directives: "You only speak of harbours." },
    { name: "two-rounds", model: models.named("two-rounds", curious), maxToolRounds: 2 },
    { name: "four-rounds", model: models.named("four-rounds", curious), maxToolRounds: 4 },
    { name: "one-turn", model: models.named("one-turn", waiting), maxTurnsPerPerson: 1 },
    { name: "two-turns", model: models.named("two-turns", waiting), maxTurnsPerPerson: 2 },
  ];
  const web = (agent: string) => ({ adapter: "web", agent, identityKey: IDENTITY_KEY });
  const channels = {
    ...Object.fromEntries(agents.map(({ name }) => [name, web(name)])),
    "one-turn-b": web("one-turn"),
    "two-turns-b": web("two-turns"),
  };
  const accounts = { "one-turn": "ada", "one-turn-b": "ada", "two-turns": "ada", "two-turns-b": "ada" };
  mooring = await rig.start({ agents, channels, people: [{ name: "Ada", accounts }] });
});

const systemOf = ({ body }: ModelRequest) => JSON.stringify(body.messages[0]);

describe("given agents with different settings", () => {
  proves(
    ["agents[].name", "agents[].directives", "channels.*(web).agent"],
    "when people write on their channels, then the model of each agent gets its name or its directives",
    async () => {
      for (const channel of ["plain", "directed"]) {
        const visitor = mooring.client("visitor", channel);
        await visitor.answerTo(visitor.say("hello"));
      }
      expect(systemOf((await models.asked("plain"))[0])).toContain("You are plain, a helpful assistant");
      expect(systemOf((await models.asked("directed"))[0])).toContain("You only speak of harbours.");
      expect(models.requests("plain")).toHaveLength(1);
    },
  );

  proves(
    ["agents[].maxToolRounds"],
    "when a model keeps calling tools, then it must answer after the tool rounds of its agent",
    async () => {
      for (const [channel, rounds] of [
        ["two-rounds", 2],
        ["four-rounds", 4],
      ] as const) {
        const visitor = mooring.client("visitor", channel);
        await visitor.answerTo(visitor.say("what is planned?"));
        expect(models.requests(channel)).toHaveLength(rounds + 1);
      }
    },
  );

  proves(
    ["agents[].maxTurnsPerPerson"],
    "when a person has reached their turns with an agent, then the next one waits, for this agent only",
    async () => {
      for (const [agent, atOnce] of [
        ["one-turn", 1],
        ["two-turns", 2],
      ] as const) {
        const first = mooring.client("first", agent, visitorToken("ada"));
        const second = mooring.client("second", `${agent}-b`, visitorToken("ada"));
        first.say("wait here");
        await models.asked(agent, 1);
        second.say("wait there");
        await second.until(() => second.accepted.length === 1, "the second message to be stored");
        if (atOnce === 2) await models.asked(agent, 2);
        const other = mooring.client("other", agent);
        await other.answerTo(other.say("hello"));
        expect(models.requests(agent).filter(({ lastUserText }) => lastUserText.includes("wait"))).toHaveLength(atOnce);
      }
      gate.release();
      await models.asked("one-turn", 3);
    },
  );
});
