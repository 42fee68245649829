import { describe, expect, it } from "vitest";
import { Places } from "../../../adapters/contract/places.ts";
import { UploadsInFlight } from "../../../adapters/web/files/uploads-in-flight.ts";

describe("given four places", () => {
  it("when anonymous senders take all that they can, then one place is left for identified ones (R3)", () => {
    const places = new Places(4);
    const taken = Array.from({ length: 4 }, () => places.take(true));
    expect(taken.map((free) => free !== undefined)).toEqual([true, true, true, false]);
    const last = places.take(false);
    expect([last !== undefined, places.take(false)]).toEqual([true, undefined]);
    taken[0]?.();
    taken[0]?.();
    expect([places.take(true) !== undefined, places.take(true)]).toEqual([true, undefined]);
  });
});

describe("given uploads of two addresses", () => {
  it("when the tenant has no place left, then the refused upload holds none of its address and channel (R3)", () => {
    const tenant = new Places(1);
    const inFlight = new UploadsInFlight({ uploadsPerAddress: 1, uploads: 2 }, tenant);
    const end = inFlight.begin({ address: "203.0.113.1", isAnonymous: false });
    const other = { address: "203.0.113.2", isAnonymous: false };
    for (let attempt = 0; attempt < 3; attempt++) expect(() => inFlight.begin(other)).toThrow("too many files");
    end();
    const again = inFlight.begin(other);
    expect(() => inFlight.begin(other)).toThrow("too many files");
    again();
    expect(tenant.isEmpty).toBe(true);
  });
});
