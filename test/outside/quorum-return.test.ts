import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { NatsCluster } from "../fakes/nats-cluster.ts";
import type { WebClient } from "../fakes/web-client.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Longer than the product's default lease, which is used here. */
const AWAY_MS = 15_000;
const [VISITORS, MESSAGES_OF_EACH] = [5, 3];

/** A gateway and two cores on three nodes. Each visitor has had one answer. */
const begin = async () => {
  const cluster = await NatsCluster.start();
  undo.push(() => cluster.stop());
  const product = await Product.create({ backbone: "nats" });
  undo.push(() => product.dispose());
  const config = { backbone: { nats: { servers: cluster.urls, replicas: 3, partitions: 4 } } };
  const core = () => product.start("core", config);
  const processes = [await product.start("gateway", config), await core(), await core()] as const;
  await Promise.all(processes.map((process) => process.ready()));
  const [{ address }] = processes;
  const visitors = Array.from({ length: VISITORS }, (_, n) => product.client(`v${n}`, address));
  await Promise.all(visitors.map((visitor) => visitor.answerTo(visitor.say("hello"))));
  return { cluster, processes, visitors };
};

/** Milliseconds until the first of them succeeds. */
const firstToDo = async (visitors: readonly WebClient[], done: (visitor: WebClient) => boolean): Promise<number> => {
  await Promise.race(visitors.map((visitor) => visitor.until(() => done(visitor), "the return of the quorum", 90_000)));
  return performance.now();
};

/**
 * `npm test` shares the machine with other tests, so only the long run holds the product to its aim of 5 s. It passes with
 * nats-server 2.15.1; 2.9.10 elects the leaders of restarted streams one by one, for up to 31 s.
 */
const isLong = process.env.MOORING_SOAK !== undefined;
const FIRST_ANSWER_MS = isLong ? 5_000 : 30_000;
/** Server 2.9.10 can lose confirmed messages on a node that was away (docs/reliability.md, After the quorum returns). */
const allAnswered = async (cluster: NatsCluster, visitors: readonly WebClient[], sent: readonly string[][]) => {
  const answers = visitors.flatMap((visitor, n) => (sent[n] ?? []).map((id) => visitor.answerTo(id)));
  try {
    await Promise.all(answers);
    return true;
  } catch (error) {
    if (await cluster.replicasAgree("mooring_user_message")) throw error;
    return false;
  }
};

const rounds = Array.from({ length: isLong ? 5 : 1 }, (_, n) => n + 1);
const faults = isLong ? (["killed", "frozen"] as const) : (["frozen"] as const);

describe.each(faults)("given two of three NATS nodes are %s for 15 s (F35)", (fault) => {
  it.each(rounds)(
    "when they are back (round %i), then answers arrive quickly and no process is declared dead",
    async () => {
      const { cluster, processes, visitors } = await begin();
      const each = (act: (node: number) => void | Promise<void>) => Promise.all([0, 1].map((node) => act(node)));
      await each((node) => (fault === "killed" ? cluster.kill(node) : cluster.freeze(node)));
      const sent = visitors.map((visitor) => Array.from({ length: MESSAGES_OF_EACH }, (_, n) => visitor.say(`m${n}`)));
      await delay(AWAY_MS);
      expect(visitors.flatMap(({ accepted }) => accepted)).toHaveLength(VISITORS);
      await each((node) => (fault === "killed" ? cluster.restart(node) : cluster.resume(node)));

      const acceptedAt = await firstToDo(visitors, ({ accepted }) => accepted.length > 1);
      const answeredAt = await firstToDo(visitors, (visitor) => visitor.replies().length > 1);
      const isWhole = await allAnswered(cluster, visitors, sent);
      const allAnsweredAt = performance.now();

      const logs = processes.map((process) => process.stdout() + process.stderr()).join("");
      expect(logs).not.toContain("declared dead");
      expect(answeredAt - acceptedAt).toBeLessThan(FIRST_ANSWER_MS);
      for (const [n, visitor] of visitors.entries()) {
        const answered = visitor.replies().map(({ correlationId }) => correlationId ?? "");
        expect(answered.slice(1)).toEqual(isWhole ? sent[n] : sent[n]?.filter((id) => answered.includes(id)));
      }
      if (isWhole) expect(allAnsweredAt - acceptedAt).toBeLessThan(3 * FIRST_ANSWER_MS);
    },
  );
});
