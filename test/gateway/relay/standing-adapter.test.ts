import { describe, expect, it } from "vitest";
import type { WebhookAdapter } from "../../../adapters/contract/abilities.ts";
import { isMembershipAdapter, isWebhookAdapter } from "../../../adapters/contract/abilities.ts";
import { StandingAdapter } from "../../../gateway/relay/standing-adapter.ts";

/** An adapter with a private field, as classes of adapters have. */
class Platform {
  readonly channel = "slack";
  readonly #name: string;
  readonly webhooks: WebhookAdapter["webhooks"];

  constructor(name: string, path = "events") {
    this.#name = name;
    this.webhooks = [
      { method: "POST", path, maxBodyBytes: 9, handle: async () => ({ status: 200, body: this.#name }) },
    ];
  }

  async permalink(): Promise<string> {
    return this.#name;
  }
}
const platform = (name: string, path?: string) => new Platform(name, path) as unknown as WebhookAdapter & Platform;
const request = { headers: {}, query: {}, remoteAddress: "", whenClosed: () => undefined, body: Buffer.alloc(0) };

describe("given routes that refer to the adapter of a channel (U5)", () => {
  it("when the adapter is replaced, then calls of the routes and of kept methods reach the new one", async () => {
    const standing = new StandingAdapter(platform("first"));
    const adapter = standing.adapter as WebhookAdapter & Platform;
    const [webhook] = adapter.webhooks;
    const { permalink } = adapter;
    standing.use(platform("second"));
    expect((await webhook?.handle(request))?.body).toBe("second");
    expect(await webhook?.refuse?.(request)).toBeUndefined();
    expect(await permalink()).toBe("second");
    expect([isWebhookAdapter(adapter), isMembershipAdapter(adapter), adapter.channel]).toEqual([true, false, "slack"]);
  });

  it("when the new adapter has other routes, then it does not fit", () => {
    const standing = new StandingAdapter(platform("first"));
    expect([standing.fits(platform("second")), standing.fits(platform("second", "hooks"))]).toEqual([true, false]);
  });
});
