import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { MemoryStore } from "../memory-store.ts";
import { enter } from "../web-client.ts";
import { startWebGateway, type WebGateway, type WebGatewayOptions } from "../web-gateway.ts";
import { fileServer } from "./file-server.ts";

const MINUTE_MS = 60_000;
const gateways: WebGateway[] = [];
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.stop();
});

const start = async (options: WebGatewayOptions = {}) => {
  const gateway = await startWebGateway(options);
  gateways.push(gateway);
  const files = await fileServer(gateway.adapter);
  const { client, welcome } = await enter(gateway);
  return { gateway, files, client, token: welcome.token };
};
const refusalOf = (answer: { statusCode: number; json(): { error: { code: string; message: string } } }) => [
  answer.statusCode,
  answer.json().error.code,
];

/** A clock that the test can advance, and a store with its keys. */
const watched = () => {
  let laterMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
  const store = new MemoryStore(clock);
  const stored = (collection: string) => store.names().filter((name) => name.startsWith(collection));
  const pass = (ms: number): void => {
    laterMs += ms;
  };
  return { clock, store, stored, pass };
};

describe("given a visitor without access", () => {
  it("when they upload a file, then it is refused with 403 and nothing is stored (R3)", async () => {
    const { store, stored } = watched();
    const { files, token } = await start({ store, config: { access: { accounts: ["ann"] } } });
    const answer = await files.post(token, "x");
    expect(refusalOf(answer)).toEqual([403, "forbidden"]);
    expect(answer.json().error.message).toContain("ask the operator for access");
    expect(stored("web-file")).toEqual([]);
  });
});

describe("given an hourly storage budget", () => {
  it("when files have used it up, then further files are refused with a reason, and messages are accepted (R3)", async () => {
    const { files, client, token } = await start({ config: { limits: { storedBytesPerVisitor: 1_000_000 } } });
    await files.upload(token, Buffer.alloc(400_000, 1));
    const refused = await files.post(token, Buffer.alloc(400_000, 1));
    expect(refusalOf(refused)).toEqual([429, "rate-limited"]);
    expect(refused.json().error.message).toMatch(
      /limit per visitor is reached: try again in \d+ minutes; messages .* still accepted/,
    );
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
  });

  it("when messages have used it up, then further ones are refused with a reason", async () => {
    const { gateway, client } = await start({ config: { limits: { storedBytesPerVisitor: 100_000 } } });
    for (const id of ["m1", "m2", "m3"]) client.send({ type: "message", id, text: "ö".repeat(10_000) });
    const refusal = await client.next("error");
    expect(refusal).toMatchObject({ code: "rate-limited", id: "m3" });
    expect(refusal).toMatchObject({ message: expect.stringMatching(/hourly storage limit per visitor/) });
    expect(gateway.accepted).toHaveLength(2);
  });
});

describe("given a disk that is nearly full", () => {
  it("when a visitor uploads and writes, then the file is refused and the message is accepted (R3)", async () => {
    let free = 1_000_000;
    const options = { freeBytes: async () => free, config: { limits: { minFreeBytes: 900_000 } } };
    const { files, client, token } = await start(options);
    const refused = await files.post(token, Buffer.alloc(200_000, 1));
    expect(refusalOf(refused)).toEqual([503, "unavailable"]);
    expect(refused.json().error.message).toContain("messages without files still are");
    client.send({ type: "message", id: "m1", text: "hello" });
    await client.next("accepted");
    free = 2_000_000;
    await files.upload(token, Buffer.alloc(200_000, 1));
  });
});

describe("given files that no message attaches", () => {
  it("when half an hour has passed, then they are deleted, and attached ones stay", async () => {
    const { clock, store, stored, pass } = watched();
    const { files, client, token } = await start({ clock, store });
    const kept = await files.upload(token, Buffer.alloc(500_000, 1));
    const dropped = await files.upload(token, Buffer.alloc(500_000, 2));
    client.send({ type: "message", id: "m1", text: "look", attachments: [{ id: kept.id }] });
    await client.next("accepted");
    expect(stored("web-file-chunks")).toHaveLength(4);
    pass(31 * MINUTE_MS);
    await expect.poll(() => stored("web-file-chunks"), { timeout: 5_000 }).toHaveLength(2);
    expect((await files.download(token, dropped.id)).statusCode).toBe(404);
    expect((await files.download(token, kept.id)).rawPayload.length).toBe(500_000);
  });

  it("when the process that accepted them has ended, then the next one deletes them", async () => {
    const { clock, store, stored, pass } = watched();
    const first = await start({ clock, store });
    await first.files.upload(first.token, Buffer.alloc(500_000, 1));
    await first.gateway.stop();
    pass(31 * MINUTE_MS);
    await start({ clock, store });
    await expect.poll(() => stored("web-file"), { timeout: 5_000 }).toEqual([]);
  });
});
