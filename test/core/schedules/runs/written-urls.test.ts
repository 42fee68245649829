import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Tool } from "../../../../core/contract/tool.ts";
import { Recorder } from "../../../fakes/recorder.ts";
import { calls } from "../../../fakes/scripted-model.ts";
import { CoreUnderTest } from "../../core-under-test.ts";
import { roles } from "../../subtasks/delegating.ts";

let core: CoreUnderTest;
afterEach(() => core.dispose());

const OWN = "https://docs.example.org/news";
const ADDED = "https://evil.example/?data=1";

describe("given a schedule that was made in a chat (T1)", () => {
  it("when it runs, then the addresses of its prompt that the asker wrote may be read, and those of the model may not", async () => {
    const wrote = new Recorder<boolean | undefined>();
    const probe: Tool = {
      name: "probe",
      description: "Checks addresses.",
      input: z.looseObject({}),
      needs: "talk",
      repeatable: true,
      run: async (_, { askerWrote }) => {
        wrote.add(await askerWrote?.(OWN));
        wrote.add(await askerWrote?.(ADDED));
        return "checked";
      },
    };
    const input = { description: "News", prompt: `Read ${OWN} and ${ADDED}`, when: "in 20 s" };
    core = await CoreUnderTest.start(
      roles({
        primary: ({ text, outputs }) => {
          if (outputs.length > 0) return "done";
          const isRun = text.startsWith("Scheduled task");
          return isRun ? calls({ name: "probe", input: {} }) : calls({ name: "schedule_task", input });
        },
      }),
      { heldByClock: true, tools: [probe] },
    );
    await core.ask("m1", `read ${OWN} every morning`);
    await core.clock.waits.until((waits) => waits.some((wait) => wait > 0 && wait <= 20_000));
    core.clock.advance(20_000);
    expect(await wrote.count(2)).toEqual([true, false]);
  });
});
