import { describe, expect, it } from "vitest";
import { silentLogger } from "../../../../core/contract/ports/logger.ts";
import { counted } from "./sample-kinds.ts";
import { openScratch, scratchDir } from "./scratch.ts";

const nextPass = () => new Promise((resolve) => setImmediate(resolve));

describe("given listeners in one process", () => {
  it("when one changes its signal, or throws, then the others receive all signals unchanged and in order", async () => {
    const errors: string[] = [];
    const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
    const { bus } = openScratch(scratchDir(), { logger }).backbone;
    const received: unknown[] = [];
    await bus.listen(counted(), (message) => {
      message.n = -1;
      throw new Error("no");
    });
    await bus.listen(counted(), (async () => {
      throw new Error("later");
    }) as () => void);
    await bus.listen(counted(), (message) => void received.push(message));
    const sent = { n: 1 };
    bus.signal(counted(), sent);
    bus.signal(counted(), { n: 2 });
    sent.n = 3;
    expect(received).toEqual([]);
    await nextPass();
    expect(received).toEqual([{ n: 1 }, { n: 2 }]);
    expect(errors).toHaveLength(4);
  });

  it("when one closes, or listens after the signal was sent, then it does not receive it", async () => {
    const { backbone } = openScratch(scratchDir());
    const { bus } = backbone;
    const received: string[] = [];
    const first = await bus.listen(counted(), () => void received.push("first"));
    bus.signal(counted(), { n: 1 });
    first.close();
    await bus.listen(counted(), () => void received.push("second"));
    bus.signal(counted("elsewhere"), { n: 2 });
    await nextPass();
    expect(received).toEqual([]);
    bus.signal(counted(), { n: 3 });
    await nextPass();
    expect(received).toEqual(["second"]);
    await backbone.close();
    bus.signal(counted(), { n: 4 });
    await expect(bus.listen(counted(), () => undefined)).rejects.toMatchObject({ code: "stopped" });
  });
});
