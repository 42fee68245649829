import { beforeAll, describe, expect } from "vitest";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { WebClient } from "../../fakes/web-client.ts";
import type { ModelBoard } from "./model-board.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";
import { ToolService } from "./tool-service.ts";

const rig = new SettingsRig();
let models: ModelBoard;
let service: ToolService;
let mooring: RunningProduct;

const obeys = ({ lastUserText, toolOutputs }: ModelRequest) => {
  if (lastUserText.startsWith("[decision")) return says(lastUserText.split("\n").slice(2).join(" "));
  return toolOutputs.length > 0 ? says("I asked.") : calls([{ name: "change", arguments: {} }]);
};

beforeAll(async () => {
  models = await rig.models();
  service = rig.owns(await ToolService.start());
  const change = { name: "change", description: "Changes it", method: "PUT", url: `${service.url}/changed` };
  const agent = (name: string, expireMs: number) => ({
    name,
    model: models.named(name, obeys),
    tools: [{ ...change, approval: "ask" }],
    rights: { anonymous: ["default", "tool:*", "confirm"] },
    approvals: { expireMs },
  });
  const agents = [agent("hasty", 1_000), agent("patient", 3_600_000)];
  const channels = agents.map(({ name }) => [name, { adapter: "web", agent: name }]);
  mooring = await rig.start({ agents, channels: Object.fromEntries(channels) });
});

const request = async (client: WebClient) => {
  const find = () => client.log.find(({ markdown = "" }) => markdown.includes("May I run"));
  await client.until(() => find() !== undefined, "the request");
  return find();
};

describe("given tools that ask first (T4)", () => {
  proves(
    ["agents[].approvals.expireMs"],
    "when a request is not decided in time, then it expires, and a longer time leaves it open",
    async () => {
      const [hasty, patient] = ["hasty", "patient"].map((name) => mooring.client("ann", name)) as [
        WebClient,
        WebClient,
      ];
      for (const client of [hasty, patient]) client.say("change it");
      await Promise.all([request(hasty), request(patient)]);
      const told = () => hasty.replies().some(({ markdown = "" }) => markdown.includes("not decided in time"));
      await hasty.until(told, "the expiry");
      const late = hasty.command("approve", (await request(hasty))?.actions?.[0]?.value);
      expect((await hasty.answerTo(late)).markdown).toContain("not decided in time");
      expect(service.requests("/changed")).toEqual([]);
      const inTime = patient.command("approve", (await request(patient))?.actions?.[0]?.value);
      expect((await patient.answerTo(inTime)).markdown).toContain("Approved.");
      await service.received.count(1);
      expect(service.requests("/changed")).toHaveLength(1);
    },
  );
});
