import { afterEach, describe, expect, it } from "vitest";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { allDeadLetters } from "../../../../core/contract/ports/bus.ts";
import type { Key } from "../../../../core/contract/ports/store.ts";
import { overrideBackbone } from "../../../fakes/override-backbone.ts";
import { RecordingLogger } from "../../../fakes/recording-logger.ts";
import { userMessage } from "../../core-under-test.ts";
import { counted } from "../../subtasks/delegating.ts";
import { asks, type Pair, startPair, theCall, untilUnsolicited } from "../peers-under-test.ts";

let pair: Pair;
afterEach(() => pair.core.dispose());

const isMemory = ({ collection }: Key<unknown>): boolean => collection.name.startsWith("working-memory");

/** A store that fails one kind of write to working memory. */
const memoryFails =
  (operation: "put" | "delete") =>
  (backbone: Backbone): Backbone => {
    const { store } = backbone;
    const refuse = (key: Key<unknown>, refused: "put" | "delete") => {
      if (refused === operation && isMemory(key)) throw new Error("the store is full");
    };
    return overrideBackbone(backbone, {
      store: {
        get: (key, known) => store.get(key, known),
        list: (prefix) => store.list(prefix),
        put: async (key, value, options) => {
          refuse(key, "put");
          return store.put(key, value, options);
        },
        delete: async (key, options) => {
          refuse(key, "delete");
          return store.delete(key, options);
        },
      },
    });
  };

const delegate = async (operation: "put" | "delete") => {
  const logger = new RecordingLogger();
  pair = await startPair(asks({ message: "count the boats", msg_type: "task_delegate" }), () => "seven boats", {
    logger,
    wrap: memoryFails(operation),
  });
  const { core } = pair;
  await core.receive(userMessage("m-1", "go"));
  const replies = await untilUnsolicited(core);
  await counted(core, "turns_total harbour answered", 1);
  const call = await theCall(core);
  const warnings = logger.lines.items.filter((line) => line.level === "warn").map(({ message }) => message);
  const letters: unknown[] = [];
  for await (const letter of core.backbone.store.list(allDeadLetters())) letters.push(letter);
  return { reported: replies.map(({ markdown }) => markdown), call, warnings, letters };
};

describe("given a peer whose delegation note fails (A7)", () => {
  it.each([
    ["cannot be written, then the peer works", "put", "could not save delegation note"],
    ["cannot be deleted, then the peer's turn ends", "delete", "could not delete delegation note"],
  ] as const)("when it %s, and its result is reported once", async (_, operation, warning) => {
    const { reported, call, warnings, letters } = await delegate(operation);
    expect(reported).toEqual(["told: seven boats"]);
    expect(call).toMatchObject({ state: "answered", answer: "seven boats" });
    expect(warnings).toEqual([warning]);
    expect(letters).toEqual([]);
  });
});
