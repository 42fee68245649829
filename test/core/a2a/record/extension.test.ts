import { describe, expect, it } from "vitest";
import { REPLY_ORIGIN_EXTENSION, readExtension, withExtension } from "../../../../core/a2a/record/hops.ts";

const extension = {
  hops: { "a>b": 2 },
  rootCorrelationId: "m-1",
  origin: { channel: "slack", promptSummary: "deep research", startedAt: "2026-03-01T10:00:00.000Z" },
};

describe("given a message's metadata", () => {
  it("when our extension is added, then it can be read, and other metadata is unchanged", () => {
    const metadata = withExtension({ other: 1 }, extension);
    expect(metadata.other).toBe(1);
    expect(readExtension(metadata)).toEqual(extension);
  });

  it.each([
    undefined,
    {},
    { [REPLY_ORIGIN_EXTENSION]: "text" },
    { [REPLY_ORIGIN_EXTENSION]: { ...extension, hops: { "a>b": -1 } } },
    { [REPLY_ORIGIN_EXTENSION]: { ...extension, hops: { "a>b": 1.5 } } },
    { [REPLY_ORIGIN_EXTENSION]: { ...extension, rootCorrelationId: "x".repeat(501) } },
    { [REPLY_ORIGIN_EXTENSION]: { ...extension, hops: Object.fromEntries([...Array(51).keys()].map((n) => [n, 1])) } },
  ])("when it is %j, then it has no extension", (metadata) => {
    expect(readExtension(metadata)).toBeUndefined();
  });
});
