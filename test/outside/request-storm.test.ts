import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild } from "../e2e/mooring-process.ts";
import { deployableRoles, Product } from "./product.ts";
import { type Outcome, RequestStorm, stormRequests } from "./request-storm.ts";

beforeAll(requireFreshBuild);

const ROUNDS = process.env.MOORING_SOAK ? 20 : 2;

let product: Product;
afterEach(() => product.dispose());

const statusesOf = (outcomes: readonly Outcome[], kind: string) =>
  new Set(outcomes.filter((outcome) => outcome.kind === kind).map(({ status }) => status));

describe.each(deployableRoles)(
  "given %s and `mooring %s` under a storm of requests and upgrades",
  (backbone, command) => {
    it(
      "when it starts and is stopped, then it answers or refuses each request, and exits with 0 (U6, F32)",
      async () => {
        product = await Product.create({ backbone });
        // A gateway is ready only while a core reads its messages.
        if (command === "gateway") await (await product.start("core")).ready();
        for (let round = 1; round <= ROUNDS; round++) {
          const mooring = await product.start(command);
          const storm = new RequestStorm(mooring.port);
          try {
            await mooring.ready();
            const whileStarting = [...storm.outcomes];
            await storm.rounds(2);
            const whileRunning = storm.outcomes.slice(whileStarting.length);
            expect(await mooring.end(), mooring.stderr()).toEqual({ code: 0, signal: null });
            await storm.end();

            expect(storm.outcomes.filter(({ status }) => status === undefined)).toEqual([]);
            expect([...statusesOf(storm.outcomes, "live")]).toEqual([200]);
            // On the embedded backbone the start may end before the first response.
            if (backbone === "nats") expect(statusesOf(whileStarting, "ready")).toContain(503);
            if (backbone === "nats") expect(statusesOf(whileStarting, "upgrade")).toContain(503);
            expect(statusesOf(whileRunning, "ready")).toContain(200);
            expect(statusesOf(whileRunning, "upgrade")).toContain(command === "core" ? 404 : 101);
            const refused = storm.outcomes.filter(({ kind, status }) => status === 503 && kind !== "ready");
            expect(refused.filter(({ head }) => !/\r\nretry-after: 1(\r\n|$)/i.test(head))).toEqual([]);
            expect(new Set(storm.outcomes.map(({ kind }) => kind))).toEqual(new Set(Object.keys(stormRequests)));
          } finally {
            await storm.end();
          }
        }
      },
      60_000 * ROUNDS,
    );

    it("when it is stopped while it starts, then it answers or refuses each request and exits with 0 (U6, F32)", async () => {
      product = await Product.create({ backbone, drainMs: 10_000 });
      const mooring = await product.start(command);
      const storm = new RequestStorm(mooring.port);
      try {
        await storm.rounds(1);
        expect(await mooring.end(), mooring.stderr()).toEqual({ code: 0, signal: null });
      } finally {
        await storm.end();
      }
      expect(storm.outcomes.filter(({ status }) => status === undefined)).toEqual([]);
    }, 60_000);
  },
);
