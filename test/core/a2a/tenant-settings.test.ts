import { beforeEach, describe, expect, it } from "vitest";
import { TenantSettings } from "../../../core/a2a/tenant-settings.ts";
import { MemoryStore } from "../../adapters/web/memory-store.ts";
import { ManualClock } from "../../fakes/manual-clock.ts";

const MINUTE_MS = 60_000;

let clock: ManualClock;
let store: MemoryStore;
let settings: TenantSettings;
/** Another process changes the setting. */
const turn = (isOn: boolean) => new TenantSettings({ store, clock }).setAsync("acme", isOn);
beforeEach(() => {
  clock = new ManualClock(Date.UTC(2026, 2, 10, 21));
  store = new MemoryStore(clock);
  settings = new TenantSettings({ store, clock }, { acme: { a2aAsync: false }, harbour: { a2aAsync: true } });
});

describe("given the async setting of a tenant (A2)", () => {
  it("when no operator has changed it, then the configuration counts, and it is off by default", async () => {
    expect(await Promise.all(["acme", "harbour", "other"].map((tenant) => settings.isAsync(tenant)))).toEqual([
      false,
      true,
      false,
    ]);
    expect(settings.hasJustChanged("acme")).toBe(false);
  });

  it.each([true, false])(
    "when it changes to %s, then models may act on older prompts for ten minutes",
    async (isOn) => {
      await turn(!isOn);
      await settings.isAsync("acme");
      expect(settings.hasJustChanged("acme")).toBe(false);
      await turn(isOn);
      expect(await settings.isAsync("acme")).toBe(isOn);
      expect(settings.hasJustChanged("acme")).toBe(true);
      clock.advance(10 * MINUTE_MS - 1);
      await settings.isAsync("acme");
      expect(settings.hasJustChanged("acme")).toBe(true);
      clock.advance(1);
      expect(settings.hasJustChanged("acme")).toBe(false);
    },
  );

  it("when it changes for one tenant, then the others have not changed", async () => {
    for (const tenant of ["acme", "harbour"]) await settings.isAsync(tenant);
    await turn(true);
    for (const tenant of ["acme", "harbour"]) await settings.isAsync(tenant);
    expect(settings.hasJustChanged("harbour")).toBe(false);
  });

  it("when the cached value is older than five seconds, then the next read refreshes it", async () => {
    await settings.isAsync("acme");
    await turn(true);
    clock.advance(5_000);
    expect(settings.cachedIsAsync("acme")).toBe(false);
    await new Promise(setImmediate);
    expect(settings.cachedIsAsync("acme")).toBe(false);
    clock.advance(1);
    expect(settings.cachedIsAsync("acme")).toBe(false);
    await new Promise(setImmediate);
    expect(settings.cachedIsAsync("acme")).toBe(true);
  });

  it("when the store fails, then the cached value stays", async () => {
    await turn(true);
    await settings.isAsync("acme");
    store.before = () => {
      throw new Error("simulated failure");
    };
    clock.advance(6_000);
    expect(settings.cachedIsAsync("acme")).toBe(true);
    await new Promise(setImmediate);
    expect(settings.cachedIsAsync("acme")).toBe(true);
  });
});
