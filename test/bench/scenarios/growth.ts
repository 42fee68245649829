import type { Backbone } from "../../../core/contract/backbone.ts";
import { firstSessionId } from "../../../core/sessions/current-session.ts";
import { historyKey } from "../../../core/sessions/history-entry.ts";
import { sessionStateKey } from "../../../core/sessions/session-state.ts";
import { embeddedHarness } from "../../contract/embedded-harness.ts";
import { natsHarness } from "../../contract/nats-harness.ts";
import type { CoreOnBus } from "../core-on-bus.ts";
import { messageIn, startCoreOnBus } from "../core-on-bus.ts";
import { loopTimes, throughput } from "../measure.ts";
import type { Scenario } from "../scenario.ts";

interface Size {
  /** "100,000 sessions". */
  readonly many: string;
  readonly few: string;
  /** Fills a fresh deployment; resolves to a piece of work whose cost should not depend on what is in there. */
  fill(core: CoreOnBus, backbone: Backbone, size: "many" | "few"): Promise<(lane: number) => Promise<void>>;
}

const spelled = (count: number): string => count.toLocaleString("en");

/** Of so many sessions any one: most were not used for a while. */
const sessions = (few: number, many: number): Size => ({
  few: `${spelled(few)} sessions`,
  many: `${spelled(many)} sessions`,
  async fill(core, _, size) {
    const count = size === "many" ? many : few;
    const ask = (n: number) => core.ask(`room ${n}`, `account ${n}`);
    await throughput(count, 500, ask);
    let last = 0;
    // A step without a factor in common with the count meets them all before it meets one again.
    return () => {
      last = (last + 7_919) % count;
      return ask(last);
    };
  },
});

/** A session that is so long, of which all but the end was summed up. */
const history = (few: number, many: number): Size => ({
  few: `a history of ${spelled(few)} messages`,
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
    return () => core.ask("long", "account");
  },
});

/** Somebody who has written in so many places, and now writes in one of them. */
const conversations = (few: number, many: number): Size => ({
  few: `${spelled(few)} conversation of a person`,
  many: `${spelled(many)} conversations of a person`,
  async fill(core, _, size) {
    for (let n = size === "many" ? many : few; n > 0; n--) await core.ask(`place ${n}`, "account");
    return () => core.ask("place 1", "account");
  },
});

/** What a message costs when there is much of something, beside what it costs when there is little. */
export const growth: Scenario = {
  name: "growth",
  aim: "≤ 1.2",
  long: true,
  async *prepare(quick) {
    const sizes: [Size, lanes: number][] = [
      [sessions(1_000, quick ? 10_000 : 100_000), 100],
      [history(10, 10_000), 1],
      [conversations(1, 100), 1],
    ];
    for (const [on, harness] of [["embedded", embeddedHarness] as const, ["nats", natsHarness] as const]) {
      for (const [size, lanes] of sizes) {
        const sides = { product: await deploy("many"), floor: await deploy("few") };
        yield {
          name: `message → reply, ${size.many} beside ${size.few} (${on})`,
          unit: "ms",
          product: () => loopTimes(200, lanes, sides.product.work),
          floor: () => loopTimes(200, lanes, sides.floor.work),
        };
        for (const side of [sides.product, sides.floor]) await side.stop();

        async function deploy(which: "many" | "few") {
          const deployment = await harness.deploy();
          const backbone = await deployment.open();
          const core = await startCoreOnBus(backbone);
          const work = await size.fill(core, backbone, which);
          const stop = async () => {
            await core.stop();
            await deployment.dispose();
          };
          return { work, stop };
        }
      }
    }
  },
};
