import { Writable } from "node:stream";
import type { FastifyReply } from "fastify";
import { describe, expect, it } from "vitest";
import { sendEvents } from "../../../../gateway/a2a/http/send-events.ts";
import { ManualClock } from "../../../fakes/manual-clock.ts";

describe("given a caller that subscribes to a task and never reads (F6)", () => {
  it("when it reads nothing for two keep-alives, then it is disconnected, and no more than the written events is buffered", async () => {
    let written = 0;
    const raw = Object.assign(new Writable({ highWaterMark: 1, write: () => void written++ }), {
      setHeader() {},
      writeHead() {},
    });
    const reply = { raw, getHeaders: () => ({}), hijack() {} } as unknown as FastifyReply;
    let made = 0;
    async function* events() {
      for (;;) yield { number: ++made };
    }
    const clock = new ManualClock();
    const sent = sendEvents(reply, { events: events(), clock, failure: () => ({ status: 500, body: {} }) });
    await expect.poll(() => raw.writableNeedDrain).toBe(true);
    clock.advance(15_000);
    expect(raw.destroyed).toBe(false);
    clock.advance(15_000);
    await sent;
    expect(raw.destroyed).toBe(true);
    expect([written, made]).toEqual([1, 1]);
  });
});
