import type { NatsConnection } from "nats";
import { describe, expect, it } from "vitest";
import { Outgoing } from "../../../../../core/backbone/nats/connection/outgoing.ts";

const connection = () => {
  const published: string[] = [];
  const publish = (subject: string) => {
    if (subject === "refused") throw new Error("too large");
    published.push(subject);
  };
  return { published, outgoing: new Outgoing({ publish } as unknown as NatsConnection) };
};

const nextPass = () => new Promise((resolve) => setImmediate(resolve));

describe("given several publications in one pass of the event loop", () => {
  it("when the pass ends, then all are handed to the client together, in order", async () => {
    const { published, outgoing } = connection();
    outgoing.send({ subject: "a" });
    await Promise.resolve();
    outgoing.send({ subject: "b" });
    await new Promise<void>((resolve) => process.nextTick(resolve));
    outgoing.send({ subject: "c" });
    expect(published).toEqual([]);
    await nextPass();
    expect(published).toEqual(["a", "b", "c"]);
  });

  it("when one is refused, then its sender gets the error, and the others are sent", async () => {
    const { published, outgoing } = connection();
    const failures: unknown[] = [];
    outgoing.send({ subject: "refused", failed: (error) => failures.push(error) });
    outgoing.send({ subject: "refused" });
    outgoing.send({ subject: "a" });
    await nextPass();
    expect(failures).toEqual([new Error("too large")]);
    expect(published).toEqual(["a"]);
  });

  it("when the connection is flushed, then they are sent at once, and only once", async () => {
    const { published, outgoing } = connection();
    outgoing.send({ subject: "a" });
    outgoing.flush();
    expect(published).toEqual(["a"]);
    await nextPass();
    expect(published).toEqual(["a"]);
  });
});
