import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";

const MESSAGES = 1_000_000;

/** Live memory after a million messages, compared with the same process after its first hundred thousand. */
export const busMemory: Scenario = {
  name: "bus: memory over a million messages",
  aim: "≤ 1.1",
  soak: true,
  async *prepare() {
    for await (const { on, start } of eachBackbone()) {
      const server = await start("bus");
      const kilobytesAfter = async (messages: number) => (await server.ask("pass", String(messages))) / 1_024;
      const early = await kilobytesAfter(MESSAGES / 10);
      const late = await kilobytesAfter((MESSAGES * 9) / 10);
      yield {
        name: `bus: memory over a million messages (${on})`,
        unit: "kB",
        steady: true,
        product: async () => late,
        floor: async () => early,
      };
    }
  },
};
