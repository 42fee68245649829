import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Cause } from "../../../core/contract/messages/work-context.ts";
import type { Permit } from "../../../core/contract/rights.ts";
import type { Tool } from "../../../core/contract/tool.ts";
import { Rights } from "../../../core/rights/index.ts";
import { calls } from "../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../core-under-test.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

/** The rights of a configuration that changes while it runs, as from one process to the next. */
class ChangingRights extends Rights {
  current = new Rights({ member: ["tool:work"] });

  override permit(asker: { causes?: readonly Cause[] | undefined }): Permit {
    return this.current.permit(asker);
  }
}

describe("given a turn whose model has called a tool", () => {
  it("when the right is withdrawn before the call runs, then the call is refused, and the model gets the reason (R1)", async () => {
    const rights = new ChangingRights();
    let ran = 0;
    const work: Tool = {
      name: "work",
      description: "work",
      input: z.object({}),
      needs: "tool:work",
      repeatable: true,
      run: async () => `ran ${++ran} times`,
    };
    const checkpoint = async (name: string) => {
      if (name === "model.journaled") rights.current = new Rights();
    };
    core = await CoreUnderTest.start([calls({ name: "work" }), "understood"], {
      agent: { rights },
      tools: [work],
      checkpoint,
    });
    await core.ask("m-1", "work");
    const [first, second] = core.model.requests.items;
    expect(first?.tools.map(({ name }) => name)).toContain("work");
    expect(second?.messages.at(-1)).toMatchObject({
      role: "tool",
      results: [{ name: "work", failed: true, output: expect.stringContaining("(`tool:work`)") }],
    });
    expect(ran).toBe(0);
  });
});
