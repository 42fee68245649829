import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { TeamsConfig } from "../../../adapters/teams/config.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { TeamsUnderTest } from "./teams-under-test.ts";

const use = new TeamsUnderTest();

describe("given mooring check --live", () => {
  it("when the configuration is correct, then there are no findings, and no message was sent", async () => {
    expect(await use.adapter.checkLive()).toEqual([]);
    expect(use.teams.requests.filter((request) => request.includes("/v3/"))).toEqual([]);
  });

  it.each([
    [7_000_215, /the secret's value/],
    [7_000_222, /has expired/],
    [700_016, /Application \(client\) ID/],
    [90_002, /Directory \(tenant\) ID/],
    [900_023, /tenantId is not/],
    [500_011, /Azure Bot resource/],
    [53_003, /Conditional Access/],
    [7_000_112, /disabled/],
    [99_999, /AADSTS99999/],
  ])("when Microsoft refuses with %i, then the finding says what to do", async (code, advice) => {
    use.teams.signIn.error = code;
    expect(await use.adapter.checkLive()).toEqual([expect.stringMatching(advice)]);
  });

  it("when the secret is wrong, then the finding says so, without the secret", async () => {
    await use.start({ appPassword: "not-the-one" });
    const [problem] = await use.adapter.checkLive();
    expect(problem).toContain("client secret is wrong");
    expect(problem).not.toContain("not-the-one");
  });

  it("when an address does not answer, then the finding names it", async () => {
    const gone = await FakeTeams.start();
    const closed = gone.origin;
    await gone.stop();
    await use.start({ tokenUrl: closed, openIdMetadataUrl: `${closed}/openid` });
    expect(await use.adapter.checkLive()).toEqual([
      expect.stringContaining(`no token from ${closed}: it refuses the connection`),
      expect.stringContaining(`cannot be fetched from ${closed}/openid`),
    ]);
  });

  it("when another server answers there, then the finding says so", async () => {
    await use.start({ tokenUrl: use.host.urlOf("nobody", "home") });
    expect(await use.adapter.checkLive()).toEqual([expect.stringContaining("another server answers there")]);
  });

  it("when a server with another error format answers there, then the finding says so", async () => {
    const other = createServer((_, response) => {
      response.writeHead(404, { "content-type": "application/json" }).end('{"error":{"code":"not-found"}}');
    });
    await once(other.listen(0, "127.0.0.1"), "listening");
    await use.start({ tokenUrl: `http://127.0.0.1:${(other.address() as AddressInfo).port}` });
    const problems = await use.adapter.checkLive();
    other.close();
    expect(problems).toEqual([expect.stringContaining("another server answers there")]);
  });

  it("when Teams could not reach the gateway, then the finding names the endpoint", async () => {
    await use.start({}, { publicUrl: "http://localhost:8080" });
    expect(await use.adapter.checkLive()).toEqual([
      expect.stringContaining("http://localhost:8080/channels/teams/messages"),
    ]);
  });
});

describe("given the channel's configuration", () => {
  const problemsOf = (changes: Record<string, unknown>) =>
    TeamsConfig.safeParse({ ...use.teams.config, ...changes }).error?.issues.map(({ path }) => path.join("."));

  it("when only the three required settings are given, then the defaults are Microsoft's public cloud", () => {
    const { appId, appPassword, tenantId } = use.teams.config;
    expect(TeamsConfig.parse({ adapter: "teams", appId, appPassword, tenantId })).toMatchObject({
      issuer: "https://api.botframework.com",
      tokenUrl: "https://login.microsoftonline.com",
      serviceUrls: expect.arrayContaining(["https://smba.trafficmanager.net"]),
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["appId", { appId: "my bot" }],
    ["tenantId", { tenantId: "contoso.com" }],
    ["appPassword", { appPassword: "" }],
    ["tokenUrl", { tokenUrl: "http://login.example" }],
    ["openIdMetadataUrl", { openIdMetadataUrl: "login.botframework.com" }],
    ["serviceUrls.0", { serviceUrls: ["http://10.0.0.1/"] }],
    ["serviceUrls.0", { serviceUrls: ["https://user:password@smba.trafficmanager.net/"] }],
    ["serviceUrls", { serviceUrls: [] }],
    ["fileHosts.0", { fileHosts: ["https://contoso.sharepoint.com/"] }],
  ])("when %s is invalid, then it is rejected: %j", (path, changes) => {
    expect(problemsOf(changes)).toEqual([path]);
  });
});
