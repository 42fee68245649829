import { NatsError, type StreamInfo } from "nats";
import { describe, expect, it } from "vitest";
import { checkReplicas } from "../../../../core/backbone/nats/check-deployment.ts";
import { natsOptions } from "../../../../core/backbone/nats/connection/nats-options.ts";
import type { NatsSession } from "../../../../core/backbone/nats/connection/nats-session.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

const apiError = (err_code: number, description: string): NatsError => {
  const error = new NatsError(description, "400");
  error.api_error = { code: 400, err_code, description };
  return error;
};
const NO_PEERS = apiError(10_005, "no suitable peers for placement");
const PEER_OFFLINE = apiError(10_005, "no suitable peers for placement, peer offline");
const session = { nc: { info: { cluster: "local" } } } as NatsSession;
const clustered = { cluster: { name: "local", leader: "n1", replicas: [] } } as unknown as StreamInfo;

/** Runs waiting code before and after the clock advances. */
const pass = async (clock: ManualClock, ms: number): Promise<void> => {
  await new Promise(setImmediate);
  clock.advance(ms);
  await new Promise(setImmediate);
};

/** Answers of the server, in order; the last one counts from then on. */
const check = (answers: (StreamInfo | NatsError)[], servers: number) => {
  const clock = new ManualClock();
  let requests = 0;
  const bucket = {
    ensureOn: async () => {
      const answer = answers[Math.min(requests++, answers.length - 1)];
      if (answer === undefined || answer instanceof Error) throw answer;
      return answer;
    },
  };
  const options = natsOptions({
    servers: Array.from({ length: servers }, (_, n) => `nats://n${n}`),
    replicas: 3,
    clock,
  });
  const outcome = checkReplicas(session, bucket, options).then(
    () => "passed",
    (error: unknown) => error,
  );
  return { clock, outcome, requests: () => requests };
};

describe("given replicas 3 and a deployment without streams", () => {
  it("when NATS is a single server, then it is a bad configuration at once", async () => {
    const { outcome, requests } = check([apiError(10_074, "replicas > 1 not supported in non-clustered mode")], 3);
    expect(await outcome).toMatchObject({
      code: "bad-configuration",
      message: expect.stringContaining("set nats.replicas to 1 or run a cluster of at least 3 nodes"),
    });
    expect(requests()).toBe(1);
  });

  it("when the cluster has too few nodes for five seconds, then it is a bad configuration", async () => {
    const { clock, outcome, requests } = check([NO_PEERS], 1);
    for (let waited = 0; waited < 5_000; waited += 500) await pass(clock, 500);
    expect(await outcome).toMatchObject({
      code: "bad-configuration",
      message: expect.stringContaining('cluster "local" has fewer nodes'),
    });
    expect(requests()).toBeGreaterThan(5);
  });

  it("when the missing node joins meanwhile, then the check passes", async () => {
    const { clock, outcome } = check([NO_PEERS, NO_PEERS, clustered], 1);
    for (let waited = 0; waited < 2_000; waited += 500) await pass(clock, 500);
    expect(await outcome).toBe("passed");
  });

  it.each([
    ["says that a peer is offline", PEER_OFFLINE, 1],
    ["has no place and all three nodes are configured", NO_PEERS, 3],
  ])("when the cluster %s, then it is unavailable and will be retried (F4)", async (_, error, servers) => {
    expect(await check([error], servers).outcome).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("a node is down, start it"),
    });
  });
});

describe("given replicas 3 and a deployment whose streams exist", () => {
  it("when NATS is a single server, then it is a bad configuration", async () => {
    expect(await check([{} as StreamInfo], 1).outcome).toMatchObject({ code: "bad-configuration" });
  });

  it("when NATS is a cluster, then the check passes, whichever nodes are down", async () => {
    expect(await check([clustered], 1).outcome).toBe("passed");
  });
});
