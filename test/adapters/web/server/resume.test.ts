import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UserSignal } from "../../../../core/contract/messages/signals.ts";
import { makeDelivery } from "../make-delivery.ts";
import { MemoryStore } from "../memory-store.ts";
import { OrderedClock } from "../ordered-clock.ts";
import { runningGateways } from "../running-gateways.ts";
import type { WebClient } from "../web-client.ts";
import { enter } from "../web-client.ts";
import type { WebGateway } from "../web-gateway.ts";

const start = runningGateways();
const seqs = (client: WebClient) => client.logged().map(({ seq }) => seq);
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

/** Two gateways on one store; signals pass only while `carries` allows it. */
const startTwo = async (carries: (signal: UserSignal) => boolean) => {
  const clock = new OrderedClock();
  const store = new MemoryStore(clock);
  const all: WebGateway[] = [];
  const signal = (sent: UserSignal) => {
    if (carries(sent)) for (const { adapter } of all) adapter.onSignal(sent);
  };
  all.push(await start({ store, clock, signal }), await start({ store, clock, signal }));
  return { clock, store, one: all[0] as WebGateway, two: all[1] as WebGateway };
};

describe("given a client that was disconnected (C5, F8)", () => {
  it("when it resumes, then it gets exactly the missed entries, then new ones", async () => {
    const gateway = await start();
    const { client, welcome } = await enter(gateway);
    const visitor = welcome.conversation;
    await gateway.adapter.deliver(makeDelivery(visitor, "r1"));
    await client.next("reply");
    client.socket.terminate();
    for (const id of ["r2", "r3"]) await gateway.adapter.deliver(makeDelivery(visitor, id));
    const back = await enter(gateway, { token: welcome.token, resumeFrom: 1 });
    expect(back.welcome.seq).toBe(3);
    await gateway.adapter.deliver(makeDelivery(visitor, "r4"));
    await back.client.next("reply", ({ id }) => id === "r4");
    expect(seqs(back.client)).toEqual([2, 3, 4]);
  });

  it("when hello has no resumeFrom, then only new entries are sent", async () => {
    const gateway = await start();
    const { welcome } = await enter(gateway);
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    const back = await enter(gateway, { token: welcome.token });
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r2"));
    await back.client.next("reply");
    expect(seqs(back.client)).toEqual([2]);
  });

  it("when missed entries have expired, then a gap frame names the first that is left", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock, config: { retentionDays: 10 } });
    const { welcome } = await enter(gateway);
    for (let n = 1; n <= 20; n++) {
      await gateway.adapter.deliver(makeDelivery(welcome.conversation, `r${n}`));
      clock.jump(24 * 3_600_000);
    }
    const back = await enter(gateway, { token: welcome.token, resumeFrom: 3 });
    const gap = await back.client.next("gap");
    await back.client.next("reply", ({ seq }) => seq === 20);
    expect(seqs(back.client)).toEqual(upTo(20).slice(gap.from - 1));
    expect(gap.from).toBe(12);
  });

  it("when all missed entries have expired, then the gap ends at the log's end", async () => {
    const clock = new OrderedClock();
    const gateway = await start({ clock, config: { retentionDays: 10 } });
    const { welcome } = await enter(gateway);
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    clock.jump(11 * 24 * 3_600_000);
    const { client, welcome: later } = await enter(gateway, { token: welcome.token, resumeFrom: 0 });
    expect(await client.next("gap")).toEqual({ type: "gap", from: later.seq + 1 });
    await gateway.adapter.deliver(makeDelivery(welcome.conversation, "r2"));
    expect(await client.next("reply")).toMatchObject({ seq: later.seq + 1 });
  });

  it("when resumeFrom is ahead of the log, then it gets resume-ahead and the whole log", async () => {
    const gateway = await start();
    const { welcome } = await enter(gateway);
    for (const id of ["r1", "r2"]) await gateway.adapter.deliver(makeDelivery(welcome.conversation, id));
    const { client } = await enter(gateway, { token: welcome.token, resumeFrom: 99 });
    expect(await client.next("error")).toMatchObject({ code: "resume-ahead" });
    await client.next("reply", ({ seq }) => seq === 2);
    expect(seqs(client)).toEqual([1, 2]);
  });
});

describe("given a gateway that was suspended before it appended a reply (F7)", () => {
  it("when another gateway has appended it, then the reply is shown once", async () => {
    const { clock, one: slept, two } = await startTwo(() => true);
    const { client, welcome } = await enter(two);
    const createdAt = new Date(clock.now()).toISOString();
    const deliver = ({ adapter }: WebGateway, id: string) =>
      adapter.deliver(makeDelivery(welcome.conversation, id, { reply: { createdAt } }));
    await deliver(two, "r1");
    await deliver(two, "r2");
    await deliver(slept, "r1");
    await deliver(slept, "r3");
    await client.next("reply", ({ seq }) => seq === 3);
    expect(client.logged().map(({ id }) => id)).toEqual(["r1", "r2", "r3"]);
  });
});

describe("given a duplicate message (F1, F12)", () => {
  it.each([
    ["on the same gateway", false],
    ["on another one", true],
  ])("when the acknowledgement was lost and the client retries %s, then it is logged once", async (_, elsewhere) => {
    const { one, two } = await startTwo(() => true);
    const { client, welcome } = await enter(one);
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
    client.socket.terminate();
    const again = await enter(elsewhere ? two : one, { token: welcome.token, resumeFrom: 0 });
    again.client.send({ type: "message", id: "m1", text: "hello" });
    await again.client.next("accepted");
    again.client.send({ type: "message", id: "m2", text: "next" });
    await again.client.next("accepted");
    expect(again.client.logged().map(({ id }) => id)).toEqual(["m1", "m2"]);
    // A known duplicate is not published again.
    expect(one.accepted).toHaveLength(elsewhere ? 1 : 2);
  });

  it("when the gateway crashes between publish and append, then the retry has the same id and is shown", async () => {
    const { one, two, store } = await startTwo(() => true);
    const { client, welcome } = await enter(one);
    store.before = (operation, name) => {
      if (operation === "put" && name === "web-log") throw new Error("died here");
    };
    client.send({ type: "message", id: "m1", text: "hello" });
    expect(await client.next("error")).toMatchObject({ code: "unavailable", id: "m1" });
    store.before = () => undefined;
    const again = await enter(two, { token: welcome.token, resumeFrom: 0 });
    again.client.send({ type: "message", id: "m1", text: "hello" });
    await again.client.next("accepted");
    expect(again.client.logged()).toHaveLength(1);
    expect([...one.accepted, ...two.accepted].map(({ id }) => id)).toEqual(
      Array(2).fill(`web:${welcome.conversation}:m1`),
    );
  });

  it("when another gateway retries a delivery, then it is shown once", async () => {
    const { one, two } = await startTwo(() => true);
    const { client, welcome } = await enter(one);
    const delivery = makeDelivery(welcome.conversation, "r1");
    const receipts = [
      await one.adapter.deliver(delivery),
      await one.adapter.deliver(delivery),
      await two.adapter.deliver({ ...delivery, mayRepeat: true }),
    ];
    expect(receipts).toEqual(Array(3).fill({ messageId: "r1" }));
    await one.adapter.deliver(makeDelivery(welcome.conversation, "r2"));
    await client.next("reply", ({ id }) => id === "r2");
    expect(client.logged().map(({ id }) => id)).toEqual(["r1", "r2"]);
  });
});

describe("given two gateways and lost signals", () => {
  it("when a signal arrives, then the other gateway's tabs get the entry at once", async () => {
    const { one, two } = await startTwo(() => true);
    const { welcome } = await enter(one);
    const { client } = await enter(two, { token: welcome.token });
    await one.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    expect(await client.next("reply")).toMatchObject({ seq: 1, id: "r1" });
  });

  it("when no signal arrives, then they get it within fifteen seconds, or on refresh", async () => {
    const { one, two, clock } = await startTwo(() => false);
    const { welcome } = await enter(one);
    const { client } = await enter(two, { token: welcome.token });
    await one.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    await clock.advance(15_000);
    expect(await client.next("reply")).toMatchObject({ id: "r1" });
    for (const id of ["r2", "r3"]) await one.adapter.deliver(makeDelivery(welcome.conversation, id));
    await two.adapter.refresh();
    await client.next("reply", ({ id }) => id === "r3");
    expect(seqs(client)).toEqual([1, 2, 3]);
  });

  it("when a signal is ahead of the log, then no entry is invented", async () => {
    const { one, two } = await startTwo(() => false);
    const { client, welcome } = await enter(one);
    const conversation = { channel: "web", room: welcome.conversation, kind: "private" as const };
    one.adapter.onSignal({ type: "logged", conversation, seq: 1_000_000 });
    await two.adapter.deliver(makeDelivery(welcome.conversation, "r1"));
    one.adapter.onSignal({ type: "logged", conversation, seq: 1 });
    expect(await client.next("reply")).toMatchObject({ seq: 1 });
  });

  it("when connections drop at random and signals are lost, then every client gets every entry once, in order", async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("deliver" as const), at: fc.nat(1) }),
      fc.record({ do: fc.constant("write" as const), at: fc.nat(2) }),
      fc.record({ do: fc.constant("drop" as const), at: fc.nat(2) }),
      fc.record({ do: fc.constant("refresh" as const), at: fc.nat(1) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.infiniteStream(fc.boolean()),
        async (steps, luck) => {
          const { one, two } = await startTwo(() => luck.next().value === true);
          const gateways = [one, two] as const;
          const { welcome, client } = await enter(one);
          client.socket.terminate();
          const { token, conversation } = welcome;
          const tabs = await Promise.all(
            [0, 1, 0].map(async (at) => ({ seen: [] as number[], ...(await join(at, 0)) })),
          );
          let made = 0;
          async function join(at: number, resumeFrom: number) {
            return { at, client: (await enter(gateways[at] as WebGateway, { token, resumeFrom })).client };
          }
          const hop = async (tab: (typeof tabs)[number]) => {
            tab.client.socket.terminate();
            tab.seen.push(...seqs(tab.client));
            Object.assign(tab, await join(1 - tab.at, tab.seen.at(-1) ?? 0));
          };
          for (const { do: what, at } of steps) {
            const tab = tabs[at] as (typeof tabs)[number];
            if (what === "deliver") {
              await (gateways[at] as WebGateway).adapter.deliver(makeDelivery(conversation, `r${++made}`));
            } else if (what === "write") {
              tab.client.send({ type: "message", id: `m${++made}`, text: "x" });
              await tab.client.next("accepted");
            } else if (what === "drop") await hop(tab);
            else await (gateways[at] as WebGateway).adapter.refresh();
          }
          await Promise.all(gateways.map(({ adapter }) => adapter.refresh()));
          for (const tab of tabs) {
            await tab.client.until(() => tab.seen.length + seqs(tab.client).length >= made);
            expect([...tab.seen, ...seqs(tab.client)]).toEqual(upTo(made));
          }
          await Promise.all(gateways.map((gateway) => gateway.stop()));
        },
      ),
      { numRuns: 25 },
    );
  });
});
