import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calls, says } from "../../fakes/model-answer.ts";
import type { ModelRequest } from "../../fakes/model-request.ts";
import { userMessage } from "../core-under-test.ts";
import type { DataOptions } from "./backbone-data.ts";
import { CrashingCore } from "./crashing-core.ts";

/** "work 7, v2": calls the tool "work", then answers. */
const script = ({ lastUserText, toolOutputs }: ModelRequest) =>
  toolOutputs.length === 0 && lastUserText.startsWith("work")
    ? calls([{ name: "work", arguments: {} }])
    : says(`answer to ${lastUserText}`);

const steps = [
  { at: "turn.opened" },
  { at: "model.after" },
  { at: "model.journaled" },
  { at: "tool.result" },
  { at: "model.journaled", nth: 2 },
  { at: "reply.before" },
  { at: "reply.published" },
];

/** A `kill -9` at every step of a turn that replaces another one: no tool runs again, and one version counts. */
export const revisionCrashes = (kind: DataOptions["kind"]): void => {
  describe(`given a core on ${kind} that crashes while it answers a revised message (C5, F2)`, () => {
    let core: CrashingCore;
    beforeAll(async () => {
      core = await CrashingCore.deploy(kind, script);
    });
    afterAll(() => core.dispose());

    it.each(steps)(
      "when it crashes at $at, then the next process ends the turn, and the tool ran once",
      async (step) => {
        const name = `${step.at} ${step.nth ?? 1}`;
        const conversation = { channel: "web", room: name, kind: "private" as const };
        const send = async (id: string, text: string, rest: { revises?: string } = {}) => {
          await core.receive(userMessage(`${name} ${id}`, text, { conversation, ...rest }));
          return core.receivedReplyTo(`${name} ${id}`);
        };
        const first = await send("1", "work v1");
        const crashing = await core.running();
        await crashing.crashAt(step.at, step.nth);
        const revised = send("2", "work v2", { revises: `${name} 1` });
        await crashing.exited;
        await core.running();
        const reply = await revised;
        expect(reply.markdown).toBe("answer to work v2\n\n_Not run again, the earlier result counts: `work`._");
        const turns = [first, reply].map(({ id }) => id.replace("/final", ""));
        const runs = await Promise.all(turns.map((turnId) => core.toolRuns(turnId)));
        expect(runs.map(({ length }) => length)).toEqual([1, 0]);
        await send("3", "and now?");
        const seen = core.server.requests.findLast(({ lastUserText }) => lastUserText === "and now?");
        expect(JSON.stringify(seen)).toContain("work v2");
        expect(JSON.stringify(seen)).not.toContain("work v1");
      },
    );
  });
};
