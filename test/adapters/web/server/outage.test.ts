import { describe, expect, it } from "vitest";
import { AppError } from "../../../../core/contract/app-error.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { SwitchedWrites } from "../../../fakes/switched-writes.ts";
import { MemoryStore } from "../memory-store.ts";
import { runningGateways } from "../running-gateways.ts";
import { enter, WebClient } from "../web-client.ts";

const start = runningGateways();

describe("given a gateway whose backbone stores nothing (F35)", () => {
  it("when a visitor sends a message, then it is refused without a store access, and the end of the outage is reported", async () => {
    const writes = new SwitchedWrites();
    const gateway = await start({ writes });
    const { client } = await enter(gateway);
    writes.fail();
    expect(await client.next("storage")).toEqual({ type: "storage", available: false });
    client.send({ type: "message", id: "m1", text: "hello" });
    expect(await client.next("error")).toMatchObject({ code: "unavailable", id: "m1" });
    expect(gateway.accepted).toEqual([]);
    writes.work();
    expect(await client.next("storage")).toEqual({ type: "storage", available: true });
    client.send({ type: "message", id: "m1", text: "hello" });
    expect(await client.next("accepted")).toMatchObject({ id: "m1" });
  });

  it("when refused messages exceed the rate limit, then the first one after the outage is still accepted", async () => {
    const writes = new SwitchedWrites();
    const gateway = await start({ writes, config: { limits: { messagesPerSecond: 0.01, messageBurst: 1 } } });
    const { client } = await enter(gateway);
    writes.fail();
    for (let n = 0; n < 5; n++) client.send({ type: "message", id: "m1", text: "hello" });
    for (let n = 0; n < 5; n++) expect(await client.next("error")).toMatchObject({ code: "unavailable" });
    writes.work();
    client.send({ type: "message", id: "m1", text: "hello" });
    expect(await client.next("accepted")).toMatchObject({ id: "m1" });
  });

  it("when a client connects and the store is unreadable too, then its socket stays open until the welcome", async () => {
    const writes = new SwitchedWrites();
    const store = new MemoryStore(systemClock);
    const gateway = await start({ writes, store });
    const { welcome } = await enter(gateway);
    writes.fail();
    store.before = () => {
      throw new AppError("unavailable", "no answer");
    };
    const client = await new WebClient(gateway).opened();
    client.send({ type: "hello", token: welcome.token, resumeFrom: 0 });
    expect(await client.next("storage")).toMatchObject({ available: false });
    store.before = () => undefined;
    writes.work();
    expect(await client.next("welcome")).toMatchObject({ conversation: welcome.conversation });
    expect(client.frames.map(({ type }) => type)).toEqual(["storage", "storage", "welcome"]);
  });

  it("when a client connects and the store is readable, then it gets a welcome and the storage state", async () => {
    const writes = new SwitchedWrites();
    const gateway = await start({ writes });
    const { welcome } = await enter(gateway);
    writes.fail();
    const { client } = await enter(gateway, { token: welcome.token });
    expect(await client.next("storage")).toMatchObject({ available: false });
  });

  it("when waiting clients disconnect, then no listener leaks", async () => {
    const writes = new SwitchedWrites();
    const store = new MemoryStore(systemClock);
    const gateway = await start({ writes, store });
    const { welcome } = await enter(gateway);
    const idle = writes.watchers;
    writes.fail();
    store.before = () => {
      throw new AppError("unavailable", "no answer");
    };
    const client = await new WebClient(gateway).opened();
    client.send({ type: "hello", token: welcome.token, resumeFrom: 0 });
    await expect.poll(() => writes.watchers).toBe(idle + 1);
    client.socket.terminate();
    await expect.poll(() => writes.watchers).toBe(idle);
  });

  it("when a visitor uploads a file, then it is refused with 503 before its body is read", async () => {
    const writes = new SwitchedWrites();
    const gateway = await start({ writes });
    const { welcome } = await enter(gateway);
    writes.fail();
    const upload = gateway.adapter.webhooks.find(({ method, path }) => method === "POST" && path === "files");
    const headers = { authorization: `Bearer ${welcome.token}` };
    const answer = await upload?.refuse?.({
      headers,
      query: { name: "a.txt" },
      remoteAddress: "127.0.0.1",
      whenClosed: () => undefined,
    });
    expect(answer).toMatchObject({ status: 503 });
  });
});
