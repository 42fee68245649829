import { afterEach, describe, expect, it } from "vitest";
import { inboundMessage } from "../../../../core/a2a/inbound/inbound-call.ts";
import { taskKey } from "../../../../core/a2a/inbound/inbound-task.ts";
import { AppError } from "../../../../core/contract/app-error.ts";
import type { InboundCall } from "../../../../core/contract/messages/inbound-call.ts";
import type { Backbone } from "../../../../core/contract/ports/backbone.ts";
import { overrideBackbone } from "../../../fakes/override-backbone.ts";
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

/** The first write of the history fails. */
const withoutHistory = (backbone: Backbone): Backbone => {
  let refusals = 0;
  const { store } = backbone;
  return overrideBackbone(backbone, {
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

describe("given a call whose task was stored, but not its turn", () => {
  it.each([
    ["an answer", "seven", "completed"],
    ["a failure", "", "failed"],
  ])(
    "when the task ended with %s, then the turn is not repeated, and the session's history has it (A8)",
    async (_, answer, state) => {
      core = await CoreUnderTest.start([answer, "five"], { heldByClock: true, wrap: withoutHistory });
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
