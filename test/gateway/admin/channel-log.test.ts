import { afterEach, describe, expect, it } from "vitest";
import { channelLogEvents } from "../../../gateway/admin/channel-log-events.ts";
import { createLogger } from "../../../gateway/telemetry/create-logger.ts";
import { LogTail } from "../../../gateway/telemetry/log-tail.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { AdminRig, acmeAdmin, as } from "./admin-rig.ts";

const written: string[] = [];
const setUp = (lowest: "debug" | "info" | "warn" | "error" = "debug") => {
  written.length = 0;
  const tail = new LogTail();
  const clock = new ManualClock(0);
  const logger = createLogger("debug", tail.through({ write: (line) => void written.push(line) }));
  const left = new AbortController();
  const follow = () =>
    channelLogEvents({
      ...{ tail, clock, channel: "web", lowest, instance: "one" },
      ...{ logLevel: () => "debug", signal: left.signal },
    });
  return { tail, clock, logger, left, follow };
};
const messages = (batch: ReturnType<typeof JSON.parse>): string[] | undefined =>
  batch?.lines.map(({ message }: { message: string }) => message);

describe("given a reader of a channel's log", () => {
  it("when lines are written, then the reader gets the last ones and further ones, of this channel only", async () => {
    const { clock, logger, follow, left } = setUp();
    logger.child({ channel: "web" }).info({ delivery: "d-1" }, "before");
    logger.info({ channel: "shop" }, "of another channel");
    logger.info({}, "of no channel");
    expect(written).toHaveLength(3);
    const events = follow();
    const first = (await events.next()).value;
    expect(first).toMatchObject({ instance: "one", logLevel: "debug", dropped: 0 });
    expect(first?.lines).toMatchObject([{ level: "info", message: "before", fields: { delivery: "d-1" } }]);
    const next = events.next();
    logger.warn({ channel: "web" }, "after");
    logger.info({ channel: "shop" }, "of another channel");
    await new Promise(setImmediate);
    clock.advance(200);
    expect(messages((await next).value)).toEqual(["after"]);
    left.abort();
    expect((await events.next()).done).toBe(true);
  });

  it("when the reader wants a level, then lower lines are left out", async () => {
    const { logger, follow } = setUp("warn");
    for (const level of ["debug", "info", "warn", "error"] as const) logger[level]({ channel: "web" }, level);
    expect(messages((await follow().next()).value)).toEqual(["warn", "error"]);
  });

  it("when a line has a secret, then it is masked as in the log", async () => {
    const { logger, follow } = setUp();
    logger.info({ channel: "web", token: "hunter2", request: { authorization: "hunter2" } }, "called");
    const batch = (await follow().next()).value;
    expect(batch?.lines).toHaveLength(1);
    expect(JSON.stringify(batch)).not.toContain("hunter2");
  });

  it("when the reader is slow, then it loses the oldest lines and learns how many; the log has them all", async () => {
    const { clock, logger, follow } = setUp();
    const events = follow();
    await events.next();
    const next = events.next();
    await new Promise(setImmediate);
    for (let line = 0; line < 600; line++) logger.info({ channel: "web" }, `line ${line}`);
    await new Promise(setImmediate);
    clock.advance(200);
    const batch = (await next).value;
    expect([batch?.dropped, batch?.lines.length, batch?.lines[0]?.message]).toEqual([100, 500, "line 100"]);
    expect(written).toHaveLength(600);
  });

  it("when no line is written, then the stream stays open, and it ends after ten minutes for a new sign-in", async () => {
    const { clock, follow } = setUp();
    const events = follow();
    await events.next();
    const idle = events.next();
    await new Promise(setImmediate);
    clock.advance(15_000);
    expect(await idle).toEqual({ done: false, value: undefined });
    const last = events.next();
    await new Promise(setImmediate);
    clock.advance(10 * 60_000);
    await last;
    expect((await events.next()).done).toBe(true);
  });
});

describe("given the route of a channel's log", () => {
  let rig: AdminRig;
  afterEach(() => rig.close());

  it.each([
    ["channels/web/log?level=odd", undefined, 400],
    ["channels/nothing/log", undefined, 404],
    ["channels/web/log", acmeAdmin, 404],
    ["channels/web/log", as("wrong"), 401],
  ] as const)("when %s is asked for with %j, then the answer is %i", async (path, headers, status) => {
    rig = await AdminRig.open(undefined, {}, { logTail: new LogTail() });
    expect((await rig.call("GET", path, undefined, headers)).status).toBe(status);
  });

  it("when the process keeps no lines, then the answer says so", async () => {
    rig = await AdminRig.open();
    const { status, body } = await rig.call("GET", "channels/web/log");
    expect([status, body.error.message]).toEqual([404, "this process keeps no log lines: read its log instead"]);
  });
});
