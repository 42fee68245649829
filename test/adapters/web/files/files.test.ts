import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { AppError } from "../../../../core/contract/app-error.ts";
import { systemClock } from "../../../../core/contract/ports/clock.ts";
import { MemoryStore } from "../memory-store.ts";
import { enter } from "../web-client.ts";
import { startWebGateway, type WebGateway, type WebGatewayOptions } from "../web-gateway.ts";
import { fileServer } from "./file-server.ts";

const DAY_MS = 24 * 3_600_000;
let gateway: WebGateway;
afterEach(() => gateway.stop());

const start = async (options: WebGatewayOptions = {}) => {
  gateway = await startWebGateway(options);
  const files = await fileServer(gateway.adapter);
  const { client, welcome } = await enter(gateway);
  return { files, client, token: welcome.token, visitor: welcome.conversation };
};
const limited = (limits: Record<string, number>) => ({ config: { limits } });
const codeOf = (answer: { json(): { error: { code: string } } }) => answer.json().error.code;

describe("given a visitor with a file", () => {
  it("when it is attached to a message, then all tabs and the agent get it, and its visitor can download it", async () => {
    const { files, client, token, visitor } = await start();
    const { expiresAt, ...file } = await files.upload(token, "high at noon", { name: "tides.txt" });
    expect(file).toEqual({ id: expect.any(String), name: "tides.txt", mediaType: "text/plain", bytes: 12 });
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 6 * DAY_MS);
    client.send({ type: "message", id: "m1", text: "", attachments: [{ id: file.id }] });
    expect(await client.next("said")).toMatchObject({ id: "m1", text: "", attachments: [file] });
    await client.next("accepted");
    const [attachment] = gateway.accepted[0]?.attachments ?? [];
    expect(attachment).toEqual({ ...file, id: `${visitor}/${file.id}`, counted: true });
    if (attachment === undefined) return;
    expect(String(await gateway.adapter.fetchAttachment(attachment, 100))).toBe("high at noon");
    await expect(gateway.adapter.fetchAttachment(attachment, 5)).rejects.toMatchObject({ code: "too-large" });

    const back = await files.download(token, file.id, { origin: gateway.origin });
    expect(back.body).toBe("high at noon");
    expect(back.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": "attachment; filename=\"tides.txt\"; filename*=UTF-8''tides.txt",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "private, no-store",
      "access-control-allow-origin": gateway.origin,
    });
  });

  it("when another visitor requests or attaches it, then it is not found", async () => {
    const { files, token } = await start();
    const { id } = await files.upload(token, "mine");
    const other = await enter(gateway);
    expect((await files.download(other.welcome.token, id)).statusCode).toBe(404);
    other.client.send({ type: "message", id: "m1", text: "look", attachments: [{ id }] });
    expect(await other.client.next("error")).toMatchObject({ code: "attachment-unknown", id: "m1" });
    expect(gateway.accepted).toEqual([]);
  });

  it("when its client stops reading, then only one chunk of it is in memory (F6)", async () => {
    const store = new MemoryStore(systemClock);
    const { files, token } = await start({ store });
    const bytes = Buffer.alloc(1_500_000, "tide ");
    const { id } = await files.upload(token, bytes);
    let pieces = 0;
    store.before = (operation, collection) => {
      if (operation === "get" && collection === "web-file-chunks") pieces++;
    };
    const route = gateway.adapter.webhooks.find(({ method, path }) => method === "GET" && path === "files");
    const head = {
      headers: { authorization: `Bearer ${token}` },
      query: { id },
      remoteAddress: "127.0.0.1",
      whenClosed: () => undefined,
    };
    const answer = await route?.handle({ ...head, body: Buffer.alloc(0) });
    expect(pieces).toBe(1);
    expect(answer?.headers).toMatchObject({ "content-length": "1500000" });
    if (!(answer?.body instanceof Readable)) throw new Error("it is all in memory");
    expect(Buffer.concat(await answer.body.toArray()).equals(bytes)).toBe(true);
    expect((await files.download(token, id)).rawPayload.equals(bytes)).toBe(true);
  });

  it("when it has expired, then it is not found, and its space is free", async () => {
    let laterMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
    const { files, client, token } = await start({ clock, config: { fileDays: 2, limits: { filesPerVisitor: 1 } } });
    const { id } = await files.upload(token, "old");
    expect(codeOf(await files.post(token, "one more"))).toBe("rate-limited");
    laterMs = 2 * DAY_MS;
    expect((await files.download(token, id)).statusCode).toBe(404);
    client.send({ type: "message", id: "m1", text: "look", attachments: [{ id }] });
    expect(await client.next("error")).toMatchObject({ code: "attachment-unknown" });
    await files.upload(token, "one more");
  });
});

describe("given an invalid upload", () => {
  it.each([
    ["../../etc/passwd", "passwd"],
    ["C:\\temp\\a.txt", "a.txt"],
    ['x"; filename="evil.html', "x ; filename= evil.html"],
    ["a\r\nset-cookie: b", "a set-cookie b"],
    ["invoice\u202Efdp.exe", "invoice fdp.exe"],
    ["...", "file"],
    ["", "file"],
    ["ü".repeat(500), "ü".repeat(100)],
  ])("when its name is %j, then it is called %j, and breaks no header", async (given, name) => {
    const { files, token } = await start();
    const file = await files.upload(token, "x", { name: given });
    expect(file.name).toBe(name);
    const back = await files.download(token, file.id);
    expect(back.statusCode).toBe(200);
    expect(back.headers["content-disposition"]).toMatch(
      /^attachment; filename="[^"\\\r\n]*"; filename\*=UTF-8''[^\s"']*$/,
    );
    expect(back.headers).not.toHaveProperty("set-cookie");
  });

  it.each([
    ["text/html", "text/html"],
    ["image/svg+xml", "image/svg+xml"],
    ["Text/HTML; charset=utf-7", "text/html"],
    ["application/x-unheard-of", "application/x-unheard-of"],
  ])("when its type is %j, then it is served as a download of plain bytes", async (type, mediaType) => {
    const { files, token } = await start();
    const file = await files.upload(token, "<script>alert(1)</script>", { type });
    expect(file.mediaType).toBe(mediaType);
    expect((await files.download(token, file.id)).headers["content-type"]).toBe("application/octet-stream");
  });

  it("when the token is missing or invalid, then it is refused before its body is read", async () => {
    const { files, token } = await start();
    expect(codeOf(await files.post(undefined, "x"))).toBe("token-missing");
    const forged = await files.post(`${token.slice(0, -4)}AAAA`, "x");
    expect([forged.statusCode, codeOf(forged)]).toEqual([401, "token-invalid"]);
    expect((await files.download(undefined, "f-1")).statusCode).toBe(401);
  });

  it("when a forbidden origin sends it, then it is refused, and the page cannot read the reason", async () => {
    const { files, token } = await start();
    const headers = { origin: "https://evil.example" };
    const refused = await files.post(token, "x", { headers });
    expect([refused.statusCode, codeOf(refused)]).toEqual([403, "forbidden"]);
    expect(refused.headers).not.toHaveProperty("access-control-allow-origin");
    expect((await files.preflight(headers.origin)).statusCode).toBe(403);
    const allowed = await files.preflight(gateway.origin);
    expect(allowed.headers).toMatchObject({
      "access-control-allow-origin": gateway.origin,
      "access-control-allow-headers": "authorization, content-type",
    });
  });

  it("when it is empty or too large, then it is refused with a reason", async () => {
    const { files, token } = await start(limited({ fileBytes: 1_000 }));
    expect(codeOf(await files.post(token, ""))).toBe("bad-input");
    expect((await files.post(token, "x", { type: "nonsense" })).statusCode).toBe(415);
    const large = await files.post(token, "x".repeat(1_001), { headers: { origin: gateway.origin } });
    expect([large.statusCode, codeOf(large)]).toEqual([413, "too-large"]);
    expect(large.headers).toMatchObject({ "access-control-allow-origin": gateway.origin });
    await files.upload(token, "x".repeat(1_000));
  });

  it("when a visitor uploads too many files at once, then only the limit is stored", async () => {
    const { files, token } = await start(limited({ filesPerVisitor: 10, fileBytesPerVisitor: 5_000 }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => files.post(token, "x".repeat(1_000))));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(5);
    expect(answers.filter(({ statusCode }) => statusCode === 429)).toHaveLength(5);
  });

  it("when the store fails during the upload, then no chunk remains, and no space is used", async () => {
    const store = new MemoryStore(systemClock);
    const { files, token } = await start({ store, ...limited({ filesPerVisitor: 1 }) });
    let puts = 0;
    store.before = (operation, collection) => {
      if (operation === "put" && collection === "web-file-chunks" && ++puts === 2) {
        throw new AppError("unavailable", "the disk is away");
      }
    };
    expect((await files.post(token, Buffer.alloc(800_000, 1))).statusCode).toBe(503);
    await files.upload(token, Buffer.alloc(800_000, 1));
  });
});
