import { describe, expect, it } from "vitest";
import type { AgentModel, ModelSwitch } from "../../../core/model/agent-model.ts";
import { FallbackModel } from "../../../core/model/fallback-model.ts";
import { ModelFailed } from "../../../core/model/model-failed.ts";
import type { StepRequest, StepResponse } from "../../../core/model/step.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const REQUEST: StepRequest = { system: "", messages: [{ role: "user", text: "hello" }], tools: [], toolChoice: "none" };
const USAGE = { inputTokens: 1, outputTokens: 1 };

/** A model that fails with each of these in turn, then answers with its label. */
const modelOf = (label: string, ...failures: ModelFailed[]): AgentModel => ({
  label,
  step: async (): Promise<StepResponse> => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return { text: label, toolCalls: [], finish: "stop", usage: USAGE };
  },
});

const setUp = (...models: AgentModel[]) => {
  const clock = new ManualClock();
  const fallback = new FallbackModel(models, clock);
  const switches: Pick<ModelSwitch, "from" | "to">[] = [];
  const controller = new AbortController();
  const ask = () =>
    fallback.step(REQUEST, {
      signal: controller.signal,
      onText: () => undefined,
      onSwitch: ({ from, to }) => switches.push({ from, to }),
    });
  return { ask, clock, switches, controller, label: fallback.label };
};

const outage = (options?: { retryAfterMs: number }) => new ModelFailed("overloaded", "busy", options);

describe("given an agent with several models", () => {
  it("when all work, then the first answers, and the response names it", async () => {
    const { ask, switches, label } = setUp(modelOf("one"), modelOf("two"));
    expect(await ask()).toMatchObject({ text: "one", model: "one" });
    expect([label, switches]).toEqual(["one", []]);
  });

  it.each(["rate-limited", "timeout", "unreachable", "overloaded", "bad-answer"] as const)(
    "when the first fails with %s, then the next answers the same request",
    async (reason) => {
      const { ask, switches } = setUp(modelOf("one", new ModelFailed(reason, "failed")), modelOf("two"));
      expect(await ask()).toMatchObject({ text: "two", model: "two" });
      expect(switches).toEqual([{ from: "one", to: "two" }]);
    },
  );

  it.each(["credentials", "refused", "context-too-long", "cancelled"] as const)(
    "when the first fails with %s, then the failure is reported, because another model would hide it",
    async (reason) => {
      const { ask } = setUp(modelOf("one", new ModelFailed(reason, "failed")), modelOf("two"));
      await expect(ask()).rejects.toMatchObject({ reason });
    },
  );

  it("when one has failed, then it is asked last for 30 s, and first again afterwards", async () => {
    const { ask, clock, switches } = setUp(modelOf("one", outage()), modelOf("two"));
    await ask();
    await clock.advance(29_999);
    expect((await ask()).text).toBe("two");
    await clock.advance(1);
    expect((await ask()).text).toBe("one");
    expect(switches).toHaveLength(1);
  });

  it("when a server asks for a delay, then its model rests that long, and at most ten minutes", async () => {
    const failures = [outage({ retryAfterMs: 90_000 }), outage({ retryAfterMs: 86_400_000 })];
    const { ask, clock } = setUp(modelOf("one", ...failures), modelOf("two"));
    await ask();
    await clock.advance(89_999);
    expect((await ask()).text).toBe("two");
    await clock.advance(1);
    expect((await ask()).text).toBe("two");
    await clock.advance(600_000);
    expect((await ask()).text).toBe("one");
  });

  it("when all rest, then the one with the shortest rest is asked first", async () => {
    const { ask } = setUp(
      modelOf("one", outage({ retryAfterMs: 60_000 })),
      modelOf("two", outage({ retryAfterMs: 5_000 })),
    );
    await expect(ask()).rejects.toMatchObject({ reason: "overloaded", retryAfterMs: 5_000 });
    expect((await ask()).text).toBe("two");
  });

  it("when the turn was stopped meanwhile, then no further model is asked", async () => {
    const { ask, controller, switches } = setUp(
      {
        label: "one",
        step: async () => {
          controller.abort();
          throw outage();
        },
      },
      modelOf("two"),
    );
    await expect(ask()).rejects.toMatchObject({ reason: "overloaded" });
    expect(switches).toEqual([]);
  });
});
