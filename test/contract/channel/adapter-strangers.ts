import { beforeEach, describe, expect, it } from "vitest";
import { isSocketAdapter, isWebhookAdapter } from "../../../adapters/contract/abilities.ts";
import { AppError } from "../../../core/contract/app-error.ts";
import type { Forgery } from "../channel-harness.ts";
import type { MakeHarness } from "./contract-rig.ts";
import { ContractRig } from "./contract-rig.ts";

const FORGERIES: readonly Forgery[] = ["unsigned", "wrong-key", "altered", "stale", "misdirected"];

/** Requests that are not from the platform, and messages that the inbox refuses. */
export const adapterStrangers = (makeHarness: MakeHarness): void => {
  describe("given a stranger who can reach the adapter", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    beforeEach(({ skip }) => {
      const isOpen = isSocketAdapter(rig.adapter) || (isWebhookAdapter(rig.adapter) && rig.adapter.webhooks.length > 0);
      skip(!isOpen, "the adapter connects to the platform itself");
    });

    it.for(FORGERIES)(
      "when a message is forged (%s), then it is refused and does not reach the agent (F25)",
      async (forgery, { skip }) => {
        await rig.accepted({ text: "genuine", event: "event-1" });
        const answer = await rig.harness.forge({ text: "forged", event: "event-2" }, forgery);
        skip(answer === "impossible", "the platform's authentication has no such case");
        // A platform may send one app the events of several workspaces over one address.
        if (forgery !== "misdirected") expect(["refused", "denied"]).toContain(answer);
        await rig.accepted({ text: "genuine again" });
        expect(rig.inbox.offered.items.map(({ text }) => text)).toEqual(["genuine", "genuine again"]);
      },
    );

    it("then forgery without a proof or with a wrong key can be tried", async () => {
      const answers = [];
      for (const forgery of FORGERIES) answers.push(await rig.harness.forge({ text: "forged" }, forgery));
      expect(answers.filter((answer) => answer !== "impossible").length).toBeGreaterThanOrEqual(2);
      expect(rig.inbox.offered.items).toEqual([]);
    });
  });

  describe("given an inbox that refuses a message for good", () => {
    const rig = new ContractRig(makeHarness, { start: true });

    it.for(["forbidden", "rate-limited", "too-large", "bad-input"] as const)(
      "when it is refused as %s, then the platform does not send it again, and the person sees why",
      async (code) => {
        const target = { text: "may I?", event: "event-1" };
        rig.inbox.refuseNext(new AppError(code, "ask the operator for access"));
        const answer = await rig.harness.userSays(target);
        // A client of ours, unlike a platform, shows the limit and may send the message again later.
        const isShown = answer === "denied" || (isSocketAdapter(rig.adapter) && code === "rate-limited");
        if (!isShown) {
          expect(answer).not.toBe("refused");
          const [notice] = await rig.harness.posted(1);
          expect(notice?.text).toContain("ask the operator for access");
        }
        await rig.accepted({ text: "and now?" });
        expect(rig.inbox.offered.items.map(({ text }) => text)).toEqual(["may I?", "and now?"]);
      },
    );
  });
};
