import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ModelConfig } from "../../../core/model/config.ts";

const local = { provider: "openai-compatible", baseUrl: "http://127.0.0.1:11434/v1", model: "m" };

describe("given a model's configuration", () => {
  it('when it is "demo", then nothing else is needed', () => {
    expect(ModelConfig.parse("demo")).toEqual({ provider: "demo", pauseMs: 0, workMs: 1_500, contextTokens: 128_000 });
  });

  it("when only the required fields are given, then the rest has defaults", () => {
    expect(ModelConfig.parse(local)).toEqual({
      ...local,
      headers: {},
      images: true,
      idHeaders: {},
      timeouts: { firstTokenMs: 60_000, idleMs: 60_000, totalMs: 600_000 },
      contextTokens: 128_000,
    });
  });

  it("when one timeout is given, then the others keep their defaults", () => {
    expect(ModelConfig.parse({ ...local, timeouts: { idleMs: 5 } })).toMatchObject({
      timeouts: { firstTokenMs: 60_000, idleMs: 5, totalMs: 600_000 },
    });
  });

  it("when it holds a key, then printing it does not show the key", () => {
    const config = ModelConfig.parse({ ...local, apiKey: "sk-canary", headers: { "x-key": "sk-canary" } });
    expect(JSON.stringify(config)).not.toContain("sk-canary");
  });

  it.each([
    { what: "an unknown provider", config: { ...local, provider: "openai" } },
    { what: "no address for a provider without a default", config: { ...local, baseUrl: undefined } },
    { what: "an invalid address", config: { ...local, baseUrl: "localhost:1234" } },
    { what: "an address of another protocol", config: { ...local, baseUrl: "ftp://127.0.0.1/v1" } },
    { what: "credentials in the address", config: { ...local, baseUrl: "http://me:pw@127.0.0.1/v1" } },
    { what: "a query in the address", config: { ...local, baseUrl: "http://127.0.0.1/v1?a=b" } },
    { what: "no key for Anthropic", config: { provider: "anthropic", model: "m" } },
    { what: "a key with a line break", config: { ...local, apiKey: "sk-canary\n" } },
    { what: "an empty key", config: { ...local, apiKey: "" } },
    { what: "an invalid header name", config: { ...local, headers: { "x y": "z" } } },
    { what: "a misspelt field", config: { ...local, temprature: 1 } },
    { what: "a wait longer than fetch allows", config: { ...local, timeouts: { idleMs: 300_001 } } },
  ])("when it has $what, then it is rejected without showing the key", ({ config }) => {
    const { success, error } = ModelConfig.safeParse(config);
    expect(success).toBe(false);
    expect(JSON.stringify(error?.issues)).not.toContain("sk-canary");
  });

  it("then it has a JSON schema for editors", () => {
    const schema = JSON.stringify(z.toJSONSchema(ModelConfig, { io: "input" }));
    for (const part of ['"demo"', "openai-compatible", "anthropic", "baseUrl"]) expect(schema).toContain(part);
  });
});

describe("given an agent elsewhere as a model", () => {
  const elsewhere = { provider: "a2a", url: "https://agent.example.com" };

  it("when only its address is given, then it is not trusted, and the rest has defaults (T6)", () => {
    const defaults = { trusted: false, deadlineMs: 86_400_000, waitMs: 840_000, unreachableMs: 60_000 };
    expect(ModelConfig.parse(elsewhere)).toEqual({ ...elsewhere, ...defaults });
  });

  it.each([
    [{ ...elsewhere, url: "ftp://agent.example.com" }, "must be an http or https address"],
    [{ ...elsewhere, token: "a", apiKey: "b" }, "takes a token or an apiKey, not both"],
    [{ ...elsewhere, waitMs: 900_000 }, "waitMs"],
    [{ ...elsewhere, deadlineMs: 600_000_000 }, "deadlineMs"],
    [{ ...elsewhere, model: "some-model" }, "model"],
  ])("when it is %j, then the problem says what is wrong", (config, problem) => {
    expect(JSON.stringify(ModelConfig.safeParse(config).error?.issues)).toContain(problem);
  });

  it.each([
    [{ person: "Authorization" }, "is a header of the request itself"],
    [{ person: "X-Id", trace: "x-id" }, "names one header twice"],
    [{ conversation: "not a name" }, "must be a header name"],
  ])("when the id headers of a server are %j, then the problem says what is wrong (T6)", (idHeaders, problem) => {
    const server = { provider: "openai-compatible", baseUrl: "http://127.0.0.1:9/v1", model: "m", idHeaders };
    expect(JSON.stringify(ModelConfig.safeParse(server).error?.issues)).toContain(problem);
  });
});
