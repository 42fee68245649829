import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ClientSocket, Webhook } from "../../../adapters/contract/abilities.ts";
import {
  isEditingAdapter,
  isHealthAdapter,
  isSocketAdapter,
  isTypingAdapter,
  isWebhookAdapter,
} from "../../../adapters/contract/abilities.ts";
import type { AdapterContext } from "../../../adapters/contract/adapter-context.ts";
import type { AdapterDefinition } from "../../../adapters/contract/adapter-definition.ts";
import type { ChannelAdapter, Inbox } from "../../../adapters/contract/channel-adapter.ts";
import { AdapterCatalogue } from "../../../config/foreign/foreign-adapter.ts";
import { createAdapter, createAdapterOrFail, speakersOn } from "../../../gateway/foreign/create-adapter.ts";
import { reportIfForeign } from "../../../gateway/foreign/foreign-code.ts";
import { testContext } from "../../../package/testing.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";
import { RecordingLogger } from "../../fakes/recording-logger.ts";

const NAME = "./odd.js";
const MODULE = pathToFileURL("/odd/adapter.js").href;

const plain = (channel: string): ChannelAdapter => ({
  channel,
  capabilities: { connection: "shared", resend: "repeats" },
  start: async () => undefined,
  deliver: async () => ({ messageId: "m1" }),
  stop: async () => undefined,
});

/** An adapter from outside that `create` makes, as the gateway runs it. */
const made = (create: (context: AdapterContext) => unknown, definition: Partial<AdapterDefinition> = {}) => {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const whole: AdapterDefinition = {
    id: "odd",
    label: "Odd",
    config: z.object({ adapter: z.literal("odd"), agent: z.string().optional() }),
    questions: [],
    create: async (_, context) => create(context) as ChannelAdapter,
    ...definition,
  };
  const adapters = new AdapterCatalogue(
    new Map([[NAME, { adapter: { name: NAME, module: MODULE, definition: whole } }]]),
  );
  const context = testContext({ channel: "here", clock, logger });
  return { adapters, clock, logger, context, config: { adapter: NAME, agent: "mooring" } };
};
const create = async (...given: Parameters<typeof made>) => {
  const { adapters, config, context, ...rest } = made(...given);
  return { ...rest, adapter: await createAdapter(adapters, config, context) };
};

const inbox: Inbox = { accept: async () => undefined };

describe("given an adapter from outside (C7)", () => {
  it("when it is created, then it has its own abilities, its own this, and health", async () => {
    class Own {
      readonly capabilities = { connection: "shared", resend: "repeats" } as const;
      readonly #id = "m7";
      readonly channel: string;
      constructor(channel: string) {
        this.channel = channel;
      }
      async start() {}
      async deliver() {
        return { messageId: this.#id };
      }
      async stop() {}
      async edit(messageId: string) {
        return { messageId: messageId + this.#id };
      }
    }
    const { adapter } = await create(({ channel }) => new Own(channel));
    expect([isEditingAdapter(adapter), isTypingAdapter(adapter), isWebhookAdapter(adapter)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await adapter.deliver({} as never)).toEqual({ messageId: "m7" });
    expect(isEditingAdapter(adapter) && (await adapter.edit("x", {} as never))).toEqual({ messageId: "xm7" });
    expect(isHealthAdapter(adapter) && adapter.health()).toEqual({ ok: true });
    expect(adapter.deliver).toBe(adapter.deliver);
  });

  it("when it is created, then it gets its id as the adapter of its settings", async () => {
    const { adapters, config, context } = made(() => undefined, {
      create: async (given, { channel }) => ({ ...plain(channel), given }) as ChannelAdapter,
    });
    const adapter = await createAdapter(adapters, config, context);
    expect(Reflect.get(adapter, "given")).toEqual({ adapter: "odd", agent: "mooring" });
  });

  it("when it is frozen, or a method of it returns no promise, then its calls work the same", async () => {
    const { adapter } = await create(({ channel }) => Object.freeze({ ...plain(channel), size: () => 7 }));
    expect(await adapter.deliver({} as never)).toEqual({ messageId: "m1" });
    expect(Reflect.get(adapter, "size")()).toBe(7);
    expect(adapter.channel).toBe("here");
  });

  it.each([
    ["no object", () => undefined, '"create" must resolve to an adapter'],
    ["another channel", () => plain("other"), 'the adapter\'s "channel" must be the channel of the context, "here"'],
    ["no deliver", () => ({ ...plain("here"), deliver: 1 }), 'the adapter\'s "deliver" must be a function'],
    ["no markWorking", () => ({ ...plain("here"), markWorking: 1 }), 'the adapter\'s "markWorking" must be a function'],
    [
      "unknown reactions",
      () => ({ ...plain("here"), capabilities: { ...plain("here").capabilities, reactions: "eyes" } }),
      'the adapter\'s "capabilities.reactions" is wrong',
    ],
    [
      "no capabilities",
      () => ({ ...plain("here"), capabilities: {} }),
      'the adapter\'s "capabilities.connection" is wrong',
    ],
    [
      "parts too short to split",
      () => ({ ...plain("here"), capabilities: { connection: "shared", resend: "repeats", maxPartLength: 5 } }),
      '"capabilities.maxPartLength"',
    ],
    [
      "an ability that is not a function",
      () => ({ ...plain("here"), edit: true }),
      'the adapter\'s "edit" must be a function',
    ],
    [
      "a webhook with a pattern",
      () => ({ ...plain("here"), webhooks: [{ method: "POST", path: ":id", maxBodyBytes: 1, handle() {} }] }),
      '"webhooks.0.path" must be letters',
    ],
    [
      "two webhooks at one path",
      () => ({
        ...plain("here"),
        webhooks: Array(2).fill({ method: "POST", path: "a", maxBodyBytes: 1, handle() {} }),
      }),
      '"webhooks" has two entries',
    ],
    [
      "a throw",
      () => {
        throw new Error("boom");
      },
      "boom",
    ],
    [
      "a thrown text",
      () => {
        throw "odd";
      },
      "odd",
    ],
  ])(
    "when create gives %s, then it is refused with the reason, and only its channel is degraded (U6)",
    async (_, make, reason) => {
      const { adapters, config, context, logger } = made(make as () => unknown);
      await expect(createAdapter(adapters, config, context)).rejects.toThrow();
      const failed = await createAdapterOrFail(adapters, config, context);
      await expect(failed.start(inbox)).rejects.toThrow(reason);
      await expect(failed.deliver({} as never)).rejects.toMatchObject({ reason: "unavailable" });
      await failed.stop();
      expect(logger.lines.items.map(({ message }) => message)).toContain(
        "adapter could not be created, channel is degraded",
      );
    },
  );

  it("when create never ends, then it is refused after 30 s", async () => {
    const { adapters, config, context, clock } = made(() => new Promise(() => undefined));
    const created = createAdapter(adapters, config, context);
    clock.advance(30_000);
    await expect(created).rejects.toThrow("not created within 30 s");
  });

  it("when a method throws at once, then its call rejects", async () => {
    const { adapter } = await create(({ channel }) => ({
      ...plain(channel),
      deliver: () => {
        throw new Error("boom");
      },
    }));
    await expect(adapter.deliver({} as never)).rejects.toThrow("boom");
  });

  it("when health, admit, connect, onSignal or a listener throws, then the gateway gets a failure instead", async () => {
    const boom = () => {
      throw new Error("boom");
    };
    const { adapter } = await create(({ channel }) => ({
      ...plain(channel),
      ...{ health: boom, admit: boom, onSignal: boom, socket: { protocol: "p", maxFrameBytes: 1 } },
      connect: (socket: ClientSocket) => socket.on("close", boom),
    }));
    expect(isHealthAdapter(adapter) && adapter.health()).toEqual({
      ok: false,
      reason: "the adapter could not report its health: boom",
    });
    if (!isSocketAdapter(adapter)) throw new Error("it has a socket");
    expect(adapter.admit({} as never)).toMatchObject({ status: 503 });
    expect((adapter as unknown as { onSignal(): void }).onSignal()).toBeUndefined();
    let listener: (code: number) => void = () => undefined;
    let ended = 0;
    const socket = { on: (_: string, given: typeof listener) => (listener = given), terminate: () => ended++ };
    adapter.connect(socket as never, {} as never);
    listener(1000);
    expect(ended).toBe(1);
  });

  it("when a webhook throws, then its answer rejects, and the definition of the webhook stays", async () => {
    const webhook = {
      method: "POST",
      path: "events",
      maxBodyBytes: 9,
      handle: () => {
        throw new Error("boom");
      },
    } as const;
    const { adapter } = await create(({ channel }) => ({ ...plain(channel), webhooks: [webhook] }));
    const [guarded] = (adapter as unknown as { webhooks: Webhook[] }).webhooks;
    expect(guarded).toMatchObject({ method: "POST", path: "events", maxBodyBytes: 9 });
    await expect(guarded?.handle({} as never)).rejects.toThrow("boom");
  });

  it("when its speakers cannot be asked, then its people count as anonymous too (R1)", () => {
    const { adapters, config } = made(() => undefined, {
      speakers: () => {
        throw new Error("boom");
      },
    });
    expect(speakersOn(adapters, config)).toEqual(["anonymous", "member"]);
  });
});

describe("given an error that no call reports (U6)", () => {
  /** The first uncaught error while `throws` runs; attributed as the running product does it. */
  const uncaught = async (throws: () => void): Promise<{ error: unknown; isForeign: boolean }> => {
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    const seen = new Promise<{ error: unknown; isForeign: boolean }>((resolve) => {
      process.once("uncaughtException", (error) => resolve({ error, isForeign: reportIfForeign(error) }));
    });
    try {
      throws();
      return await seen;
    } finally {
      for (const listener of others) process.on("uncaughtException", listener);
    }
  };

  it.each<[string, () => void]>([
    [
      "a timer",
      () =>
        void setTimeout(() => {
          throw new Error("late");
        }, 1),
    ],
    [
      "an event",
      () =>
        void setImmediate(() => {
          throw new Error("late");
        }),
    ],
  ])("when %s of the adapter throws, then its channel is degraded for five minutes", async (_, fail) => {
    const { adapter, clock, logger } = await create(({ channel }) => ({
      ...plain(channel),
      start: async () => fail(),
    }));
    const health = () => isHealthAdapter(adapter) && adapter.health();
    expect((await uncaught(() => void adapter.start(inbox))).isForeign).toBe(true);
    expect(health()).toEqual({ ok: false, reason: "uncaught error of the adapter: late" });
    expect(logger.lines.items).toMatchObject([{ message: "adapter bug: uncaught error", fields: { error: "late" } }]);
    clock.advance(5 * 60_000);
    expect(health()).toEqual({ ok: true });
  });

  it("when Mooring's own code throws, also below a call of the adapter, then it is not the adapter's", async () => {
    const own: Inbox = {
      accept: async () => {
        setTimeout(() => {
          throw new Error("ours");
        }, 1);
        return undefined;
      },
    };
    const { adapter } = await create(({ channel }) => ({
      ...plain(channel),
      start: async (given: Inbox) => void given.accept({} as never),
    }));
    expect((await uncaught(() => void adapter.start(own))).isForeign).toBe(false);
    expect(
      (
        await uncaught(
          () =>
            void setTimeout(() => {
              throw new Error("ours");
            }, 1),
        )
      ).isForeign,
    ).toBe(false);
  });

  it.each([
    ["file:///odd/adapter.js:3:7", true],
    ["/odd/lib/x.js:3:7", true],
    ["file:///odd/node_modules/mooring/dist/mooring.js:3:7", false],
    ["file:///other/adapter.js:3:7", false],
  ])("when only its stack says where it was thrown, at %s, then its first frame decides", async (frame, isForeign) => {
    const { adapter } = await create(({ channel }) => plain(channel));
    await adapter.start(inbox);
    const error = new Error("micro");
    error.stack = `Error: micro\n    at node:internal/process:1:1\n    at run (${frame})\n    at file:///odd/adapter.js:1:1`;
    expect(reportIfForeign(error)).toBe(isForeign);
  });

  it("when a module throws before its adapter is created, then the module is recognised", () => {
    const error = new Error("early");
    error.stack = "Error: early\n    at file:///early/index.js:1:1";
    expect(reportIfForeign(error)).toBe(false);
    expect(reportIfForeign(error, ["file:///early/index.js"])).toBe(true);
    expect(reportIfForeign(undefined, ["file:///early/index.js"])).toBe(false);
  });
});
