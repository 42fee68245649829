import { beforeAll, describe, expect } from "vitest";
import { calls, type ModelAnswer, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { pngOf } from "../../fakes/sample-files.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { IDENTITY_KEY, type RunningProduct, SettingsRig, visitorToken } from "./settings-rig.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let mooring: RunningProduct;
const PHOTO = pngOf(2, 2, [1, 2, 3]);
const DAY_MS = 24 * 3_600_000;

const answer = ({ lastUserText, toolOutputs }: ModelRequest): ModelAnswer => {
  if (lastUserText !== "again") return says(lastUserText.includes("wind") ? "I read about the wind" : "I saw it");
  return toolOutputs.length > 0
    ? says(`I found: ${toolOutputs.join(" ")}`)
    : calls([{ name: "read_attachment", arguments: { file: 1 } }]);
};

const config = () => {
  const agent = (name: string, files: object, model: object = {}) => ({
    name,
    model: models.named(name, answer, { apiKey: "key-of-the-model", ...model }),
    files,
  });
  const agents = [
    agent("usual", {}),
    agent("small", { maxBytes: 1_000 }),
    agent("brief", { keepDays: 1 }),
    agent("blind", {}, { images: false }),
    agent("seeing-anthropic", {}, { provider: "anthropic" }),
    agent("blind-anthropic", {}, { provider: "anthropic", images: false }),
  ];
  const channels = Object.fromEntries(
    agents.map(({ name }) => [name, { adapter: "web", agent: name, identityKey: IDENTITY_KEY }]),
  );
  return { agents, channels };
};

beforeAll(async () => {
  models = await rig.models();
  mooring = await rig.start(config());
});

let clients = 0;
/** Message ids begin with the name of the client, so each client of the person has its own. */
const newClient = (agent: string) => mooring.client(`client-${++clients}`, agent, visitorToken("ann"));

const send = async (agent: string, name: string, content: string | Buffer) => {
  const visitor = newClient(agent);
  await visitor.until(() => visitor.room !== undefined, "the welcome");
  const file = await visitor.upload(name, content);
  return (await visitor.answerTo(visitor.say("", undefined, [file]))).markdown;
};

describe("given agents that read files", () => {
  proves(
    ["agents[].files.maxBytes"],
    "when a file is larger than the limit of one agent, then this agent says so, and the other one reads it",
    async () => {
      const wind = `wind ${"x".repeat(2_000)}`;
      expect(await send("usual", "wind.txt", wind)).toBe("I read about the wind");
      expect(await send("small", "wind.txt", wind)).toBe("I cannot read wind.txt: it is larger than 1 kB.");
    },
  );

  proves(
    ["agents[].model(openai-compatible).images", "agents[].model(anthropic).images"],
    "when a model takes no images, then the person learns that, and the model gets none; other models get the image",
    async () => {
      for (const [seeing, blind] of [
        ["usual", "blind"],
        ["seeing-anthropic", "blind-anthropic"],
      ] as const) {
        expect(await send(seeing, "photo.png", PHOTO)).toBe("I saw it");
        expect(JSON.stringify(models.requests(seeing).at(-1)?.body)).toContain(PHOTO.toString("base64"));
        expect(await send(blind, "photo.png", PHOTO)).toContain("I cannot look at images (photo.png)");
        expect(models.requests(blind)).toEqual([]);
      }
    },
  );

  proves(
    ["agents[].files.keepDays"],
    "when days have passed, then the agent that keeps files for one day has no file, and the other one still reads it",
    async () => {
      await send("usual", "wind.txt", "wind from the west");
      await send("brief", "wind.txt", "wind from the west");
      await mooring.end();
      mooring = await rig.start(config(), { folder: mooring.folder, aheadMs: 3 * DAY_MS });
      const again = async (agent: string) => {
        const visitor = newClient(agent);
        return (await visitor.answerTo(visitor.say("again"))).markdown;
      };
      expect(await again("brief")).toContain("There is no file 1");
      expect(await again("usual")).toContain("I found: [attached file 1: wind.txt");
    },
  );
});
