import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";

/** A batch of three is two turns of the session (who asks, and the one answer) around three subtasks. */
const SUBTASKS = 3;
const OWN_TURNS = 2;

/** Of the server. Each has as many batches as every other: none waits for the last ones while others have nothing to do. */
const SESSIONS = 50;

/** Of a session in a round. At its two ends the sessions are not all at work: the fewer batches, the more that counts. */
const BATCHES = { quick: 6, whole: 10 };

/** Until then a batch takes less and less CPU, because the engine is still compiling: after 500 nearly twice as much. */
const WARM_UP = 2_000;

/** What a subtask costs beside a plain turn, with everything that its batch needs besides the session's own turns. */
export const delegation: Scenario = {
  name: "delegation: a subtask beside a plain turn",
  aim: "≤ 1.5",
  async *prepare(quick) {
    const batches = (quick ? BATCHES.quick : BATCHES.whole) * SESSIONS;
    const turns = batches * (SUBTASKS + OWN_TURNS);
    for await (const { on, start } of eachBackbone({ firstOnly: quick })) {
      const server = await start("delegation");
      await server.ask("batches", String(WARM_UP));
      let plainMs = (await server.ask("plain", String(turns))) / turns;
      const batchMs = async () => (await server.ask("batches", String(batches))) / batches;
      yield {
        name: `a subtask beside a plain turn (${on})`,
        unit: "ms",
        product: async () => ((await batchMs()) - OWN_TURNS * plainMs) / SUBTASKS,
        floor: async () => {
          plainMs = (await server.ask("plain", String(turns))) / turns;
          return plainMs;
        },
        cpu: () => server.ask("cpu"),
      };
    }
  },
};

/** By then every session's window is as long as it gets: it is in memory, and grows with the first batches. */
const FULL_WINDOWS = 1_000;

/** Live memory after many batches, beside the same process when its sessions' windows were just full. */
export const delegationMemory: Scenario = {
  name: "delegation: memory over many batches",
  aim: "≤ 1.1",
  soak: true,
  async *prepare(quick) {
    const batches = quick ? 2_000 : 20_000;
    for await (const { on, start } of eachBackbone()) {
      const server = await start("delegation");
      const kilobytesAfter = async (count: number) => {
        await server.ask("batches", String(count));
        return (await server.ask("memory")) / 1_024;
      };
      const early = await kilobytesAfter(FULL_WINDOWS);
      const late = await kilobytesAfter(batches - FULL_WINDOWS);
      yield {
        name: `memory over ${batches} batches (${on})`,
        unit: "kB",
        product: async () => late,
        floor: async () => early,
      };
    }
  },
};
