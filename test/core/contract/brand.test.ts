import { describe, expect, it } from "vitest";
import { DeliveryFailed } from "../../../adapters/contract/delivery-failed.ts";
import { RenderFailed } from "../../../adapters/contract/render-delivery.ts";
import { AppError, BackboneUnavailable, RevisionConflict } from "../../../core/contract/app-error.ts";
import { TurnCancelled } from "../../../core/turns/turn-failures.ts";

type AppErrors = typeof import("../../../core/contract/app-error.ts");
type Deliveries = typeof import("../../../adapters/contract/delivery-failed.ts");
type Rendering = typeof import("../../../adapters/contract/render-delivery.ts");

/** A second copy of the modules, as an adapter with its own installation has it. */
const copyOf = async <T>(path: string): Promise<T> => import(/* @vite-ignore */ `${path}?copy`);
const copy = async () => ({
  ...(await copyOf<AppErrors>("../../../core/contract/app-error.ts")),
  ...(await copyOf<Deliveries>("../../../adapters/contract/delivery-failed.ts")),
  ...(await copyOf<Rendering>("../../../adapters/contract/render-delivery.ts")),
});

describe("given an error of another copy of the contract (C7)", () => {
  it("when it is caught, then instanceof recognises it and its base classes", async () => {
    const other = await copy();
    expect(other.AppError).not.toBe(AppError);
    const failed = new other.DeliveryFailed("rate-limited", "wait", { retryAfterMs: 5 });
    expect(Object.getPrototypeOf(failed)).not.toBe(DeliveryFailed.prototype);
    expect(failed instanceof DeliveryFailed).toBe(true);
    expect(failed instanceof AppError).toBe(true);
    expect(failed instanceof RenderFailed).toBe(false);
    expect(new other.RenderFailed(new Error("x")) instanceof RenderFailed).toBe(true);
    expect(new other.RevisionConflict("k", 1) instanceof RevisionConflict).toBe(true);
    expect(new other.BackboneUnavailable("x") instanceof BackboneUnavailable).toBe(true);
  });

  it("when a subclass has no brand, then only its own instances count", async () => {
    const other = await copy();
    expect(new other.AppError("stopped", "x") instanceof TurnCancelled).toBe(false);
    expect(new TurnCancelled() instanceof TurnCancelled).toBe(true);
    expect(new TurnCancelled() instanceof AppError).toBe(true);
  });

  it.each([undefined, null, "text", 7, {}, new Error("x"), () => undefined])(
    "when %s is thrown, then it is not one",
    (value) => {
      expect(value instanceof AppError).toBe(false);
      expect(value instanceof DeliveryFailed).toBe(false);
    },
  );
});
