import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Backbone } from "../../core/contract/ports/backbone.ts";
import type { Key } from "../../core/contract/ports/store.ts";
import { CoreUnderTest, userMessage } from "../core/core-under-test.ts";
import { Recorder } from "../fakes/recorder.ts";
import { fuzzRuns } from "./fuzz-runs.ts";
import { watchHarm } from "./harmless.ts";
import { mutated } from "./mutated.ts";

interface Row {
  readonly key: Key<unknown>;
  readonly value: unknown;
}

const rows: Row[] = [];
/** Messages that have become dead letters. */
const deadLetters = new Recorder<string>();

/** Forwards all calls, and records the rows that core writes and the dead letters. */
const recordingRows = (backbone: Backbone): Backbone => ({
  ...backbone,
  health: () => backbone.health(),
  writeProblem: () => backbone.writeProblem(),
  queues: () => backbone.queues(),
  close: () => backbone.close(),
  store: {
    get: (key) => backbone.store.get(key),
    put(key, value, options) {
      rows.push({ key, value });
      return backbone.store.put(key, value, options);
    },
    delete: (key, options) => backbone.store.delete(key, options),
    list: (prefix) => backbone.store.list(prefix),
  },
  bus: {
    publish: (subject, message, options) => backbone.bus.publish(subject, message, options),
    signal: (subject, message) => backbone.bus.signal(subject, message),
    listen: (subject, handle) => backbone.bus.listen(subject, handle),
    consume: (subject, options, handle) => {
      const recorded: typeof options = {
        ...options,
        async onDeadLetter(message, letter) {
          deadLetters.add(letter.id);
          await options.onDeadLetter?.(message, letter);
        },
      };
      return backbone.bus.consume(subject, recorded, handle);
    },
  },
});

let core: CoreUnderTest;
beforeAll(async () => {
  core = await CoreUnderTest.start(() => "Done.", { wrap: recordingRows });
});
afterAll(() => core.dispose());

const messageIn = (room: string, id: string) =>
  userMessage(id, "hello", {
    conversation: { channel: "web", room, kind: "private" },
    account: { id: room, name: "Ann" },
  });

describe("given damaged rows in the store (F19)", () => {
  it("when a message needs them, then it is answered or becomes a dead letter, and other messages are answered", async () => {
    const harm = watchHarm();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.gen(), async (which, gen) => {
        const room = `room-${++count}`;
        rows.length = 0;
        await core.receive(messageIn(room, `${room}/1`));
        await core.replyTo(`${room}/1`);
        const row = rows[which % rows.length] as Row;
        const damaged = gen(() => mutated([row.value]));
        await core.backbone.store.put(row.key, (damaged ?? null) as never);
        await core.receive(messageIn(room, `${room}/2`));
        const ended = deadLetters.until((ids) => ids.includes(`${room}/2`));
        await Promise.race([core.replyTo(`${room}/2`), ended]);
        await core.receive(messageIn(`${room}-other`, `${room}/3`));
        expect((await core.replyTo(`${room}/3`)).markdown).toBe("Done.");
      }),
      fuzzRuns(40),
    );
    harm.expectNone();
  });
});
