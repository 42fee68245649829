import type { Scenario } from "../scenario.ts";
import { eachBackbone } from "../servers/each-backbone.ts";

/** A batch of three is two turns of the session (the request and the consolidated answer) around three subtasks. */
const SUBTASKS = 3;
const OWN_TURNS = 2;

/**
 * Sessions of the server. Each has the same number of batches, so that no session waits for the last ones while others
 * are idle.
 */
const SESSIONS = 50;

/**
 * Batches of a session in a round. At the start and the end of a round some sessions are idle: more batches reduce that
 * effect.
 */
const BATCHES = { quick: 6, whole: 10 };

/**
 * Warm-up: until then the CPU time of a batch falls, because the engine is still compiling; after 500 it is nearly
 * twice as high.
 */
const WARM_UP = 2_000;

/** The cost of a subtask compared with a plain turn, with all work of its batch except the session's own turns. */
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

/** After this many batches every session's window has its full length: it is cached, and grows with the first ones. */
const FULL_WINDOWS = 1_000;

/**
 * Live memory after many batches, compared with the same process when its sessions' windows had just reached their full
 * length.
 */
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
