import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasEnded } from "../../../core/contract/messages/subtask.ts";
import { countedMembers } from "../../../core/subtasks/owner/batch.ts";
import type { BackboneHarness, Deployment } from "../../contract/backbone-harness.ts";
import { propertyRuns } from "../../setup/property-runs.ts";
import { BatchWorld, expectedFinals } from "./batch-world.ts";
import { subtask } from "./delegating.ts";
import { aPlan, type Plan } from "./random-batch.ts";

/** Random batches with random failures lead to one answer, and no result is lost (B2–B5, S4, S7). */
export const batchProperty = (harness: BackboneHarness, fewest: number): void => {
  const runs = propertyRuns(fewest);
  describe(`given a random batch on ${harness.name}`, () => {
    let deployment: Deployment;
    let world: BatchWorld;
    beforeAll(async () => {
      deployment = await harness.deploy();
      world = await BatchWorld.start([
        await deployment.open(),
        ...(harness.manyProcesses ? [await deployment.open()] : []),
      ]);
    });
    afterAll(async () => {
      await world.stop();
      await deployment.dispose();
    });

    const check = async (plan: Plan): Promise<void> => {
      const { number, batch, conversation } = await world.play(plan);
      expect(batch?.members).toHaveLength(plan.fates.length);
      if (batch === undefined) return;

      // Every subtask has ended, with all subtasks of its own.
      for (const { id } of batch.members) {
        const { name, status } = await subtask(world, id);
        expect(hasEnded({ status })).toBe(true);
        for (const child of await world.children(id)) expect(child.name).toMatch(new RegExp(`^${name}c\\d$`));
      }
      const requests = world.model.requests.items.filter(({ messages }) =>
        messages.some(({ role, text }) => role === "user" && text === `plan ${number}`),
      );
      const prompts = requests.flatMap(({ messages, tools }) => {
        const last = messages.findLast(({ role }) => role === "user");
        const isContinuation = last?.role === "user" && last.text.startsWith("[");
        return isContinuation && !tools.some(({ name }) => name === "complete_subtask") ? [last.text] : [];
      });
      const namesIn = (text: string) => [...text.matchAll(/### (\w+)/g)].map(([, name = ""]) => name);
      const together = prompts.filter((text) => text.startsWith("[results of"));
      const late = prompts.filter((text) => text.startsWith("[late results of"));
      const alone = prompts.filter((text) => text.startsWith("[result of"));
      const counted = countedMembers(batch);
      const returned = new Map(
        requests.flatMap(({ messages }) =>
          messages.flatMap((message) =>
            message.role === "tool" ? message.results.map(({ callId, output }) => [callId, output] as const) : [],
          ),
        ),
      );

      // The owner gets each result once: from a tool call that waited for it, or in a later turn.
      const awaited = batch.members.filter(({ awaitedBy }) => awaitedBy !== undefined).map(({ name }) => name);
      expect([...returned.values()].flatMap(namesIn).sort()).toEqual(awaited.sort());
      // At most one synthesis, with all counted members; at most one follow-up, with the late ones.
      expect(together).toHaveLength(counted.length > 0 ? 1 : 0);
      expect(late.length).toBeLessThanOrEqual(1);
      if (counted.length > 0) expect(together.flatMap(namesIn).sort()).toEqual(counted.map(({ name }) => name).sort());
      expect(late.flatMap(namesIn).sort()).toEqual(
        counted
          .filter((one) => one.late)
          .map(({ name }) => name)
          .sort(),
      );
      const reportsAlone = batch.members.filter((one) => one.reports === "alone" && one.awaitedBy === undefined);
      expect(alone.flatMap(namesIn).sort()).toEqual(reportsAlone.map(({ name }) => name).sort());

      // Only turns of the session publish finals, as many as table B says.
      const finals = world.finals(conversation);
      expect(finals).toHaveLength(expectedFinals(batch));
      expect(finals.filter(({ correlationId }) => correlationId === `m-${number}`)).toHaveLength(1);
      for (const { markdown, sessionId } of finals) {
        expect(markdown).toMatch(/^(announcement|answer to|Working on: |$)/);
        expect(sessionId).toBe(batch.sessionId);
      }
      const completions = world.replies.items.filter(
        ({ id, kind }) => kind === "completion" && id.startsWith(batch.turnId),
      );
      expect(completions).toHaveLength(1);
    };

    it("when it runs, then it leads to one answer with every result, and all subtasks have ended", {
      timeout: 120_000 + 3_000 * runs.numRuns,
    }, async () => {
      await fc.assert(fc.asyncProperty(aPlan, check), runs);
    });
  });
};
