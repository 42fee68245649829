import { describe, expect, it } from "vitest";
import { Secret } from "../../../core/contract/secret.ts";
import { changedSettings, copySetting } from "../../../gateway/reload/changed-settings.ts";

describe("given two trees of settings (U5)", () => {
  it("when they are compared, then the deepest paths that differ are found, and secrets by their value", () => {
    const before = { a: { b: 1, c: new Secret("x") }, list: [1, 2], gone: 1 };
    const after = { a: { b: 1, c: new Secret("y") }, list: [1, 3], more: { d: 1 } };
    expect(changedSettings(before, after)).toEqual([["a", "c"], ["list", 1], ["gone"], ["more"]]);
    expect(changedSettings(before, { ...before, a: { b: 1, c: new Secret("x") } })).toEqual([]);
    expect(changedSettings(before, { ...before, list: [1] })).toEqual([["list"]]);
  });

  it("when one setting is copied, then everything else is the same object", () => {
    const to = { a: { b: 1 }, list: [{ c: 1 }, { c: 2 }], other: {} };
    const from = { list: [{ c: 1 }, { c: 5 }], a: {} };
    const copy = copySetting(from, to, ["list", 1, "c"]);
    expect(copy).toEqual({ ...to, list: [{ c: 1 }, { c: 5 }] });
    expect([copy.other === to.other, copy.list[0] === to.list[0]]).toEqual([true, true]);
    expect(copySetting(from, to, ["a", "b"]).a).toEqual({});
  });
});
