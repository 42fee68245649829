import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { VERSION } from "../../gateway/version.ts";

it("given package.json, then the product shows its version", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(VERSION).toBe(version);
});
