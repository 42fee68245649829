import { afterEach, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../../core/a2a/inbound/inbound-call.ts";
import { taskKey } from "../../../../core/a2a/inbound/inbound-task.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { InboundCall } from "../../../../core/contract/messages/inbound-call.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { withParts } from "../../../fakes/with-parts.ts";
import { CoreUnderTest } from "../../core-under-test.ts";
import { counted } from "../../subtasks/delegating.ts";
import { inboundCall as call } from "./inbound-call-sample.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const next: InboundCall = {
  ...call,
  id: "task-2",
  said: { id: "message-2", from: "caller", text: "and ships?" },
};

/** Its history cannot be written at first. */
const withoutHistory = (backbone: Backbone): Backbone => {
  let refusals = 0;
  const { store } = backbone;
  return withParts(backbone, {
    store: {
      get: (...args) => store.get(...args),
      delete: (...args) => store.delete(...args),
      list: (...args) => store.list(...args),
      put: async (key, ...args) => {
        if (key.collection.name === "history" && refusals++ === 0) throw new AppError("unavailable", "no leader");
        return store.put(key, ...args);
      },
    },
  });
};

const taskOf = async (of: InboundCall) => (await core.backbone.store.get(taskKey(of)))?.value;

describe("given a call whose turn could not be stored, but its task could", () => {
  it.each([
    ["an answer", "seven", "completed"],
    ["a failure", "", "failed"],
  ])(
    "when it was ended with %s, then it is not answered again, and the session knows it (A8)",
    async (_, says, state) => {
      core = await CoreUnderTest.start([says, "five"], { heldByClock: true, wrap: withoutHistory });
      await core.receive(inboundMessage(call));
      while ((await taskOf(call))?.state !== state) await new Promise(setImmediate);
      await core.clock.passNext(2);
      await core.receive(inboundMessage(next));
      await counted(core, "turns_total mooring answered", 1);
      expect(await taskOf(next)).toMatchObject({ state: "completed", answer: "five" });
      expect(core.model.requests.items).toHaveLength(2);
      const shown = JSON.stringify(core.model.requests.items[1]?.messages);
      expect(shown).toContain("how many boats?");
      expect(shown).toContain((await taskOf(call))?.answer ?? (await taskOf(call))?.note);
    },
  );
});
