import { beforeAll, describe, expect } from "vitest";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import type { WebClient } from "../../fakes/web-client.ts";
import { proves } from "./proves.ts";
import { type RunningProduct, SettingsRig } from "./settings-rig.ts";

const rig = new SettingsRig();
let mooring: RunningProduct;

/** The visitor's words are remembered, and the result of the call is the answer. */
const obeys = ({ lastUserText, toolOutputs }: ModelRequest) => {
  const [text = ""] = lastUserText.split("\n\n[memory]");
  return toolOutputs.length > 0 ? says(toolOutputs.join(" ")) : calls([{ name: "remember", arguments: { text } }]);
};

beforeAll(async () => {
  const models = await rig.models();
  const agent = (name: string, memory: object) => ({
    name,
    model: models.named(name, obeys),
    rights: { anonymous: ["default", "remember"] },
    memory,
  });
  const agents = [agent("few", { maxEntries: 1 }), agent("short", { maxBytes: 100 }), agent("usual", {})];
  const channels = agents.map(({ name }) => [name, { adapter: "web", agent: name }]);
  mooring = await rig.start({ agents, channels: Object.fromEntries(channels) });
});

describe("given agents with bounds of their memory (M4)", () => {
  proves(
    ["agents[].memory.maxEntries", "agents[].memory.maxBytes"],
    "when a person tells more than a bound allows, then the entry is refused, and larger bounds take it",
    async () => {
      const [few, short, usual] = ["few", "short", "usual"].map((name) => mooring.client("ann", name)) as [
        WebClient,
        WebClient,
        WebClient,
      ];
      const tell = async (client: WebClient, text: string) => (await client.answerTo(client.say(text))).markdown;
      const long = `my address is ${"Long Street ".repeat(8)}5`;
      for (const client of [few, short, usual]) {
        expect(await tell(client, "I like tea")).toBe("Remembered for this person as entry 1: I like tea");
      }
      expect(await tell(few, long)).toContain("the memory is full (1 entries)");
      expect(await tell(short, long)).toContain("the memory is full (100 bytes)");
      expect(await tell(usual, long)).toContain("as entry 2: my address is");
    },
  );
});
