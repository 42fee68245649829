import { describe, expect, it } from "vitest";
import { HealthListeners } from "../../core/backbone/health-listeners.ts";
import type { Backbone, BackboneHealth } from "../../core/contract/ports/backbone.ts";
import { silentLogger } from "../../core/contract/ports/logger.ts";
import { refreshAfterOutage } from "../../gateway/backbone-health.ts";
import { ManualClock } from "../fakes/manual-clock.ts";
import { ServedChannel } from "../fakes/served-channel.ts";

class RefreshingChannel extends ServedChannel {
  refreshed = 0;
  async refresh(): Promise<void> {
    this.refreshed++;
  }
}

describe("given a bus after an outage", () => {
  it("when it recovers, then channels that use signals refresh once", () => {
    const clock = new ManualClock();
    let health: BackboneHealth = { ok: true };
    const listeners = new HealthListeners();
    const backbone = { health: () => health, onHealthChange: (given) => listeners.add(given) } as Backbone;
    const channel = new RefreshingChannel("web");
    const plain = new ServedChannel("plain");
    const watch = refreshAfterOutage({ backbone, adapters: [plain, channel], clock, logger: silentLogger });
    clock.advance(1_000);
    health = { ok: false, reason: "away" };
    clock.advance(1_000);
    expect(channel.refreshed).toBe(0);
    health = { ok: true };
    clock.advance(1_000);
    expect(channel.refreshed).toBe(1);
    // An outage between two checks.
    health = { ok: false, reason: "away" };
    listeners.notify();
    health = { ok: true };
    listeners.notify();
    expect(channel.refreshed).toBe(2);
    watch.cancel();
    expect(clock.pending).toBe(0);
  });
});
