import { NatsError } from "nats";
import { describe, expect, it } from "vitest";
import { NatsConnector } from "../../../../../core/backbone/nats/connection/nats-connector.ts";
import {
  isBusy,
  isInterruption,
  isLostRace,
  isServerFault,
} from "../../../../../core/backbone/nats/connection/nats-fault.ts";
import { natsOptions } from "../../../../../core/backbone/nats/connection/nats-options.ts";
import type { NatsSession } from "../../../../../core/backbone/nats/connection/nats-session.ts";
import { KvBucket } from "../../../../../core/backbone/nats/kv/kv-bucket.ts";
import { RevisionConflict } from "../../../../../core/contract/app-error.ts";

const refused = (code: number, err_code: number): NatsError => {
  const error = new NatsError("refused", String(code));
  error.api_error = { code, err_code, description: "refused" };
  return error;
};

describe("given an error of the server", () => {
  it.each([
    { name: "wrong last sequence (10071)", error: refused(400, 10_071), is: ["lost race"] },
    { name: "wrong last sequence (10164)", error: refused(400, 10_164), is: ["lost race"] },
    { name: "duplicate id in process (10158)", error: refused(409, 10_158), is: ["busy"] },
    {
      name: "temporarily unavailable (10008)",
      error: refused(503, 10_008),
      is: ["interruption", "busy", "server fault"],
    },
    { name: "no responder", error: new NatsError("503", "503"), is: ["interruption", "busy", "server fault"] },
    { name: "timeout", error: new NatsError("TIMEOUT", "TIMEOUT"), is: ["interruption", "server fault"] },
    { name: "store failed (10077)", error: refused(503, 10_077), is: ["server fault"] },
    { name: "bad request (10003)", error: refused(400, 10_003), is: [] },
  ])("when it is $name, then it is $is", ({ error, is }) => {
    const seen = [
      isLostRace(error) && "lost race",
      isInterruption(error) && "interruption",
      isBusy(error) && "busy",
      isServerFault(error) && "server fault",
    ];
    expect(seen.filter((kind) => kind !== false)).toEqual(is);
  });
});

/** A connection that answers its publications with the given answers in order; the last one is repeated. */
class Answering extends NatsConnector {
  readonly #answers: readonly object[];
  requests = 0;

  constructor(answers: readonly object[]) {
    super(natsOptions({ servers: ["none"] }), async () => undefined);
    this.#answers = answers;
  }

  override get current(): NatsSession {
    const request = async () => {
      const answer = this.#answers[Math.min(this.requests++, this.#answers.length - 1)];
      return { string: () => JSON.stringify(answer) };
    };
    return { requests: { request }, once: async () => ({ config: {} }), isOpen: true } as unknown as NatsSession;
  }
}

const answerOf = (code: number, err_code: number) => ({ error: { code, err_code, description: "refused" } });

describe("given a cluster that refuses a write", () => {
  it.each([10_008, 10_158])("when it answers %i twice, then the write is retried and resolves", async (code) => {
    const connector = new Answering([answerOf(503, code), answerOf(503, code), { seq: 7 }]);
    const bucket = new KvBucket(connector, { name: "test", replicas: 3 });
    expect(await bucket.write("key", Buffer.from("{}"), { ifRevision: 0 })).toBe(7);
    expect(connector.requests).toBe(3);
  });

  it.each([10_071, 10_164])("when it answers %i, then the write rejects with a conflict", async (code) => {
    const bucket = new KvBucket(new Answering([answerOf(400, code)]), { name: "test", replicas: 3 });
    await expect(bucket.write("key", Buffer.from("{}"), { ifRevision: 0 })).rejects.toBeInstanceOf(RevisionConflict);
  });
});
