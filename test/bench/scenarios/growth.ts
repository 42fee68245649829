import type { Backbone } from "../../../core/contract/ports/backbone.ts";
import { firstSessionId } from "../../../core/sessions/current-session.ts";
import { historyKey, sessionStateKey } from "../../../core/sessions/session-window.ts";
import type { BackboneHarness } from "../../contract/backbone-harness.ts";
import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { natsHarnessAsShipped } from "../../contract/nats-harness.ts";
import { type CoreOnBus, messageIn, startCoreOnBus } from "../core-on-bus.ts";
import { loopTimes, throughput } from "../measure.ts";
import type { Scenario } from "../scenario.ts";
import { seedSessions } from "../seed-sessions.ts";

interface Work {
  /** Pieces of work in a round. */
  readonly messages: number;
  readonly lanes: number;
  run(): Promise<void>;
}

interface Size {
  /** "100,000 sessions". */
  readonly many: string;
  readonly few: string;
  /** Fills a fresh deployment; resolves to pieces of work whose cost should not depend on its size. */
  fill(core: CoreOnBus, backbone: Backbone, size: "many" | "few"): Promise<Readonly<Record<string, Work>>>;
}

const spelled = (count: number): string => count.toLocaleString("en");

const WARM = 1_000;
/** Warm-up: before that, the engine is still compiling. */
const WARM_UP = 3_000;

/**
 * A session is cold if its process has not used it since its start: its records must be read first. It is warm
 * afterwards, until it is evicted.
 */
const sessions = (few: number, many: number): Size => ({
  few: `of ${spelled(few)}`,
  many: `of ${spelled(many)} sessions`,
  async fill(core, { store }, size) {
    const count = size === "many" ? many : few;
    // A step without a common factor with the count visits all of them before it repeats one.
    const addressOf = (n: number): [string, string] => [
      `room ${(n * 7_919) % count}`,
      `account ${(n * 7_919) % count}`,
    ];
    await seedSessions(store, count, addressOf);
    await throughput(WARM_UP, 100, (n) => core.ask(`elsewhere ${n % 100}`, `somebody ${n % 100}`));
    let met = 0;
    let last = 0;
    const askAsNewPerson = () => core.ask(...addressOf(met++));
    const askAsKnownPerson = async () => {
      while (met < WARM) await askAsNewPerson();
      last = (last + 1) % WARM;
      await core.ask(...addressOf(last));
    };
    return {
      // No session may be used twice over all rounds.
      "a cold session": { messages: 150, lanes: 50, run: askAsNewPerson },
      "one of 1,000 warm sessions": { messages: 1_000, lanes: 50, run: askAsKnownPerson },
    };
  },
});

const oneByOne = (run: () => Promise<void>): Work => ({ messages: 150, lanes: 1, run });

/** A session with this many messages, of which all but the last have been summarised. */
const history = (few: number, many: number): Size => ({
  few: spelled(few),
  many: `a history of ${spelled(many)} messages`,
  async fill(core, { store }, size) {
    const count = size === "many" ? many : few;
    const sessionId = firstSessionId(messageIn("long", "account", 0));
    const at = new Date().toISOString();
    const entry = { kind: "turn", text: "Hello.", finalText: "Hi.", outcome: "answered" } as const;
    await throughput(count, 100, (n) =>
      store.put(historyKey(sessionId, n), { ...entry, at, messages: [], turnId: `t-${n}` }),
    );
    const compactedThrough = Math.max(0, count - 20);
    if (compactedThrough > 0) await store.put(sessionStateKey(sessionId), { compactedThrough, summary: "Greetings." });
    return { "a message": oneByOne(() => core.ask("long", "account")) };
  },
});

/** A person with this many private conversations, who now writes in one of them. */
const conversations = (few: number, many: number): Size => ({
  few: spelled(few),
  many: `${spelled(many)} conversations of a person`,
  async fill(core, _, size) {
    for (let n = size === "many" ? many : few; n > 0; n--) await core.ask(`room ${n}`, "account");
    return { "a message": oneByOne(() => core.ask("room 1", "account")) };
  },
});

/** A separate deployment of this size. */
const deploy = async (harness: BackboneHarness, size: Size, which: "many" | "few") => {
  const deployment = await harness.deploy();
  const backbone = await deployment.open();
  const core = await startCoreOnBus(backbone);
  const works = await size.fill(core, backbone, which);
  const stop = async () => {
    await core.stop();
    await deployment.dispose();
  };
  return { works, stop };
};

/** The cost of a message in a large deployment, compared with a small one. */
export const growth: Scenario = {
  name: "growth",
  aim: "≤ 1.2",
  long: true,
  async *prepare(quick) {
    const sizes = [sessions(1_000, quick ? 10_000 : 100_000), history(10, 10_000), conversations(1, 100)];
    for (const harness of [embeddedHarness, natsHarnessAsShipped]) {
      for (const size of sizes) {
        const [many, few] = [await deploy(harness, size, "many"), await deploy(harness, size, "few")];
        for (const [what, work] of Object.entries(many.works)) {
          const { messages, lanes } = work;
          yield {
            name: `growth: ${what}, ${size.many} beside ${size.few} (${harness.name})`,
            unit: "ms",
            product: () => loopTimes(messages, lanes, work.run),
            floor: () => loopTimes(messages, lanes, (few.works[what] as Work).run),
          };
        }
        for (const side of [many, few]) await side.stop();
      }
    }
  },
};
