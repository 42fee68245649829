import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../core/contract/ports/clock.ts";
import { FakeTeams } from "../../fakes/teams/fake-teams.ts";
import { messageBy } from "../../fakes/teams/sent-activity.ts";
import type { TokenChanges } from "../../fakes/teams/token-mint.ts";
import { TeamsUnderTest } from "./teams-under-test.ts";

const use = new TeamsUnderTest();
const nowS = () => Math.floor(Date.now() / 1_000);
const activity = (more: Readonly<Record<string, unknown>> = {}) =>
  messageBy(use.teams, { text: "let me in", more }, use.teams.api.nextId());
const refuse = async (answer: Promise<number>) => {
  expect(await answer).toBe(401);
  expect(use.inbox.offered.items).toEqual([]);
  expect(use.store.writes).toEqual([]);
};

describe("given a forged request (F22)", () => {
  it.each<[string, () => TokenChanges & { authorization?: string }]>([
    ["has no token", () => ({ authorization: "" })],
    ["has garbage for a token", () => ({ authorization: "Bearer garbage" })],
    ["has garbage in three parts", () => ({ authorization: "Bearer e30.e30.e30" })],
    ["has another scheme", () => ({ authorization: "Basic YTpi" })],
    ["has a token that is too long", () => ({ authorization: `Bearer ${"a".repeat(9_000)}.b.c` })],
    ["names an unknown key", () => ({ header: { kid: "another" } })],
    ["names no key", () => ({ header: { kid: undefined } })],
    ["is signed with another key", () => ({ forged: true })],
    ["is signed with our public key as a password", () => ({ header: { alg: "HS256" } })],
    ["is for another bot", () => ({ claims: { aud: "11111111-1111-4111-8111-111111111111" } })],
    ["has no audience", () => ({ claims: { aud: undefined } })],
    ["is from another issuer", () => ({ claims: { iss: "https://evil.example" } })],
    [
      "is an emulator's",
      () => ({
        claims: {
          iss: "https://sts.windows.net/d6d49420-f39b-4df7-a1dc-d59a935871db/",
          appid: use.teams.appId,
          serviceurl: undefined,
        },
      }),
    ],
    ["has expired", () => ({ claims: { exp: nowS() - 600 } })],
    ["never expires", () => ({ claims: { exp: undefined } })],
    ["is not valid yet", () => ({ claims: { nbf: nowS() + 600 } })],
    ["has a token for another address", () => ({ claims: { serviceurl: "https://smba.trafficmanager.net/amer/" } })],
    ["has a token for no address", () => ({ claims: { serviceurl: undefined } })],
  ])("when it %s, then it is refused with 401 and stores nothing", async (_, changes) => {
    await refuse(use.teams.send(activity(), changes()));
  });

  it("when it contains its own signing key, then that key is not used", async () => {
    const jwk = await use.teams.mint.forgersKey();
    await refuse(use.teams.send(activity(), { forged: true, header: { jwk } }));
    await refuse(use.teams.send(activity(), { forged: true, header: { jwk, kid: undefined } }));
  });

  it.each(["jku", "x5u"])(
    "when it names the address of its key in %s, then that address is not requested",
    async (name) => {
      const elsewhere = await FakeTeams.start();
      elsewhere.mint.moreKeys = [await use.teams.mint.forgersKey()];
      const address = `${elsewhere.origin}/v1/.well-known/keys`;
      await refuse(use.teams.send(activity(), { forged: true, header: { [name]: address } }));
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.stop();
    },
  );

  it("when it is not signed, then it is refused", async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = { iss: "https://api.botframework.com", aud: use.teams.appId, serviceurl: use.teams.serviceUrl };
    const header = { alg: "none", kid: use.teams.mint.kid };
    await refuse(use.teams.send(activity(), { authorization: `Bearer ${part(header)}.${part(claims)}.` }));
    await refuse(use.teams.send(activity(), { authorization: `Bearer ${part(header)}.${part(claims)}.AA` }));
  });

  it("when the key is not endorsed for Teams, then no request is accepted", async () => {
    use.teams.mint.endorsements = ["webchat"];
    expect(await use.teams.send(activity())).toBe(503);
    expect(use.inbox.offered.items).toEqual([]);
  });
});

describe("given a genuine token, and an activity that it does not cover", () => {
  it.each<[string, () => Record<string, unknown>]>([
    ["it is from another channel", () => ({ channelId: "webchat" })],
    ["it is from the emulator", () => ({ channelId: "emulator" })],
    ["its channel would make the SDK call another address", () => ({ channelId: "AseChannel" })],
    ["it has no channel", () => ({ channelId: undefined })],
    ["it is from another tenant", () => ({ channelData: { tenant: { id: "22222222-2222-4222-8222-222222222222" } } })],
    ["it has two tenants", () => ({ conversation: { id: "a:x", tenantId: "22222222-2222-4222-8222-222222222222" } })],
    ["it has no tenant", () => ({ channelData: {}, conversation: { id: "a:x", conversationType: "personal" } })],
    ["it names another service address", () => ({ serviceUrl: `${use.teams.serviceUrl}x` })],
  ])("when %s, then it is refused", async (_, more) => {
    const serviceurl = use.teams.serviceUrl;
    await refuse(use.teams.send(activity(more()), { claims: { serviceurl } }));
  });

  it("when it has no service address, then it is refused", async () => {
    await refuse(use.teams.send(activity({ serviceUrl: undefined })));
  });

  it.each([
    ["this machine", () => use.host.urlOf("teams", "messages")],
    ["a private network", () => "http://10.0.0.1/emea/"],
    ["a cloud's metadata service", () => "http://169.254.169.254/emea/"],
    ["a file", () => "file:///etc/passwd"],
    ["a host with the prefix of Teams", () => `${use.teams.origin}.evil.example/emea/`],
    ["a host with Teams as its user name", () => `http://${new URL(use.teams.origin).host}@evil.example/emea/`],
    ["another path of the same host", () => `${use.teams.origin}/emeax/`],
    ["a path with parent segments", () => `${use.teams.origin}/emea/../other/`],
    ["an invalid address", () => "teams"],
  ])("when its service address, signed, points to %s, then it is refused", async (_, address) => {
    await refuse(use.teams.send(activity({ serviceUrl: address() })));
  });
});

describe("given a genuine token, and an invalid activity (F19)", () => {
  const ours = () => ({ tenantId: use.teams.tenantId });
  const badInput: [string, (genuine: Record<string, unknown>) => unknown][] = [
    ["no type", (genuine) => ({ ...genuine, type: undefined })],
    ["a type that is not text", (genuine) => ({ ...genuine, type: 7 })],
    ["no conversation id", (genuine) => ({ ...genuine, conversation: ours() })],
    ["a conversation id that is too long", (genuine) => ({ ...genuine, conversation: { id: "x".repeat(2_000) } })],
    [
      "half a character in its conversation id",
      (genuine) => ({ ...genuine, conversation: { ...ours(), id: "\ud800" } }),
    ],
    ["no conversation", (genuine) => ({ ...genuine, conversation: undefined })],
  ];
  it.each(badInput)("when it has %s, then the response is 400", async (_, change) => {
    expect(await use.teams.send(change(activity()))).toBe(400);
    expect(use.inbox.offered.items).toEqual([]);
  });

  it.each(["", "{", "null", "[]", '"text"', "7"])("when the body is %j, then it is refused", async (body) => {
    await refuse(use.teams.send(body));
  });

  it.each([
    ["malformed entities", { entities: "x" }],
    ["malformed attachments", { attachments: [7, null, { contentType: 3 }] }],
    ["a sender without a name", { from: { id: "29:x", aadObjectId: "o", name: 7 } }],
    ["an invalid time", { timestamp: "soon" }],
  ])("when it has %s, then the valid fields are used", async (_, more) => {
    expect(await use.teams.send(activity(more))).toBe(200);
    expect(use.inbox.accepted.items).toMatchObject([{ text: "let me in" }]);
  });
});

describe("given the signing keys of Teams", () => {
  const keyRequests = () => use.teams.requests.filter((request) => request.endsWith("/keys"));
  let genuine: () => Promise<number>;
  beforeEach(() => {
    genuine = () => use.teams.send(activity());
  });

  it("when many requests arrive, also forged ones, then the keys are fetched once", async () => {
    await Promise.all([genuine(), genuine(), use.teams.send(activity(), { header: { kid: "made-up" } })]);
    for (let n = 0; n < 5; n++) await use.teams.send(activity(), { header: { kid: `made-up-${n}` } });
    expect(keyRequests()).toHaveLength(1);
  });

  const startAt = async (start = 0) => {
    const time = { ms: start };
    await use.start({}, { clock: { ...systemClock, monotonic: () => time.ms } });
    return time;
  };
  const HOUR_MS = 3_600_000;

  it("when they cannot be fetched, then Teams retries, and the retry is accepted", async () => {
    const time = await startAt();
    use.teams.keysFail = true;
    expect(await genuine()).toBe(503);
    use.teams.keysFail = false;
    time.ms += 5_000;
    expect(await genuine()).toBe(200);
  });

  it("when they cannot be fetched, then they are requested every few seconds, however many requests arrive", async () => {
    const time = await startAt();
    const fetches = () => use.teams.requests.filter((request) => request.includes("/.well-known/"));
    use.teams.keysFail = true;
    for (let n = 0; n < 10; n++) expect(await genuine()).toBe(503);
    expect(fetches()).toHaveLength(1);
    time.ms += 5_000;
    await Promise.all([genuine(), genuine(), use.teams.send(activity(), { header: { kid: "made-up" } })]);
    expect(fetches()).toHaveLength(2);
  });

  it("when Teams has a new key, then it is known within a minute", async () => {
    const time = await startAt();
    expect(await genuine()).toBe(200);
    use.teams.mint.kid = "the next one";
    expect(await genuine()).toBe(401);
    time.ms += 60_000;
    expect(await genuine()).toBe(200);
  });

  it("when they cannot be refreshed after a day, then the old keys stay valid for three days at most", async () => {
    const time = await startAt();
    expect(await genuine()).toBe(200);
    use.teams.keysFail = true;
    time.ms += 25 * HOUR_MS;
    expect(await genuine()).toBe(200);
    expect(await use.teams.send(activity(), { header: { kid: "made-up" } })).toBe(503);
    time.ms += 48 * HOUR_MS;
    expect(await genuine()).toBe(503);
    use.teams.keysFail = false;
    time.ms += 5_000;
    expect(await genuine()).toBe(200);
  });

  it("when Teams revokes a key, then it stays valid for a day at most", async () => {
    const time = await startAt();
    const old = use.teams.mint.kid;
    expect(await genuine()).toBe(200);
    use.teams.mint.kid = "the next one";
    time.ms += 24 * HOUR_MS;
    expect(await use.teams.send(activity(), { header: { kid: old } })).toBe(401);
  });

  it("when one of them is unusable, then the others are used", async () => {
    const endorsements = ["msteams"];
    use.teams.mint.moreKeys = [
      null,
      "key",
      {},
      { kty: "RSA", kid: "a", endorsements },
      { kty: "RSA", kid: "b", n: "", e: "", endorsements },
      { kty: "RSA", kid: "c", n: 7, e: "AQAB", endorsements },
      { kty: "RSA", kid: "d", n: "%%%", e: "AQAB", endorsements },
      { kty: "EC", kid: "e", crv: "P-256", endorsements },
      { kty: "RSA", n: "AQAB", e: "AQAB", endorsements },
    ];
    expect(await genuine()).toBe(200);
    for (const kid of ["a", "b", "c", "d", "e"]) {
      expect(await use.teams.send(activity(), { header: { kid } })).toBe(401);
    }
  });

  it("when the server redirects to other keys, then the redirect is not followed", async () => {
    const elsewhere = await FakeTeams.start();
    use.teams.keysMovedTo = `${elsewhere.origin}/v1/.well-known/openidconfiguration`;
    expect(await genuine()).toBe(503);
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.stop();
  });

  it("when the document names keys on another host, then they are not fetched", async () => {
    const stranger = await FakeTeams.start();
    use.teams.metadata = { jwks_uri: `${stranger.origin}/v1/.well-known/keys` };
    expect(await genuine()).toBe(503);
    expect(stranger.requests).toEqual([]);
    await stranger.stop();
  });

  it.each([{ jwks_uri: 7 }, { jwks_uri: undefined }, { jwks_uri: "http://" }])(
    "when the document is %j, then no request is accepted",
    async (metadata) => {
      use.teams.metadata = metadata;
      expect(await genuine()).toBe(503);
    },
  );
});
