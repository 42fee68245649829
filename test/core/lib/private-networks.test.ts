import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mayReach } from "../../../core/lib/private-networks.ts";
import { createGuardedFetch, type GuardedFetch, type Lookup } from "../../../core/net/guarded-fetch.ts";

/** IANA's special-purpose registries, first and last address of each range, and the services of clouds. */
const NOT_PUBLIC: readonly (readonly [range: string, ...addresses: string[]])[] = [
  ["this network, RFC 791", "0.0.0.0", "0.255.255.255"],
  ["private use, RFC 1918", "10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255"],
  ["private use, RFC 1918", "192.168.0.0", "192.168.255.255"],
  ["shared address space, RFC 6598", "100.64.0.0", "100.127.255.255"],
  ["loopback, RFC 1122", "127.0.0.1", "127.255.255.255"],
  ["link local, RFC 3927", "169.254.0.0", "169.254.255.255"],
  ["IETF protocol assignments, RFC 6890", "192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255"],
  ["documentation, RFC 5737", "192.0.2.1", "198.51.100.1", "203.0.113.255"],
  ["AS112 and AMT, RFC 7534, 7535, 7450", "192.31.196.1", "192.52.193.1", "192.175.48.1"],
  ["6to4 relay, RFC 7526", "192.88.99.1"],
  ["benchmarking, RFC 2544", "198.18.0.0", "198.19.255.255"],
  ["multicast, RFC 5771", "224.0.0.1", "239.255.255.255"],
  ["reserved and broadcast, RFC 1112, 919", "240.0.0.0", "255.255.255.255"],
  ["cloud metadata, IPv4", "169.254.169.254", "169.254.170.2", "100.100.100.200", "192.0.0.192"],
  ["Azure's wire server", "168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::168.63.129.16"],
  ["cloud metadata, IPv6", "fd00:ec2::254", "fd20:ce::254"],
  ["unspecified and loopback, RFC 4291", "::", "::1"],
  ["IPv4-compatible, RFC 4291", "::7f00:1", "::127.0.0.1", "::a00:1", "::93.184.216.34"],
  ["IPv4-mapped, RFC 4291", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::ffff:10.0.0.1"],
  ["IPv4-translated, RFC 2765", "::ffff:0:127.0.0.1"],
  ["NAT64 of a private address, RFC 6052", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254"],
  ["NAT64 for local use, RFC 8215", "64:ff9b:1::1", "64:ff9b:1::93.184.216.34", "64:ff9b:1:ffff::1"],
  ["discard-only, RFC 6666, 9780", "100::1", "100:0:0:1::1"],
  ["IETF protocol assignments, RFC 2928", "2001:1::1", "2001:1ff:ffff::1"],
  ["Teredo, RFC 4380", "2001::1", "2001:0:53aa:64c:0:7f00:80ff:fffe"],
  ["benchmarking, RFC 5180", "2001:2::1"],
  ["ORCHID, RFC 4843, 7343", "2001:10::1", "2001:20::1"],
  ["drone identifiers, RFC 9374", "2001:30::1"],
  ["documentation, RFC 3849, 9637", "2001:db8::1", "3fff::1", "3fff:fff:ffff::1"],
  ["6to4, RFC 3056", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2002:5db8:d822::1"],
  ["segment routing, RFC 9602", "5f00::1"],
  ["unique local, RFC 4193", "fc00::1", "fdff:ffff::1"],
  ["link local, RFC 4291", "fe80::1", "febf:ffff::1", "fe80::1%eth0"],
  ["site local, RFC 3879", "fec0::1", "feff::1"],
  ["multicast, RFC 4291", "ff02::1", "ff0e::1"],
  ["never assigned", "1::1", "200::1", "4000::1", "8000::1", "e000::1"],
  ["not an address", "", "localhost", "127.0.0.1:80", "1.2.3"],
];

const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "168.63.129.15",
  "172.32.0.1",
  "192.0.1.1",
  "223.255.255.255",
  "::ffff:93.184.216.34",
  "64:ff9b::93.184.216.34",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2a00:1450:4001:80b::200e",
];

describe("given an address that an untrusted party has chosen (F26)", () => {
  it.each(NOT_PUBLIC)("when it is %s, then it is not public", (_range, ...addresses) => {
    expect(addresses.filter((address) => mayReach(address, []))).toEqual([]);
  });

  it.each(PUBLIC)("when it is %s, then it may be reached", (address) => {
    expect(mayReach(address, [])).toBe(true);
  });

  it("when its network is allowed, then it may be reached, also translated into IPv6", () => {
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "64:ff9b::10.1.2.3"]) {
      expect(mayReach(address, ["10.1.0.0/16"]), address).toBe(true);
      expect(mayReach(address, ["10.2.0.0/16", "fd00::/8"]), address).toBe(false);
    }
    expect(mayReach("168.63.129.16", ["168.63.129.16"])).toBe(true);
    expect(mayReach("::7f00:1", ["127.0.0.0/8"])).toBe(false);
  });
});

describe("given the guarded fetch with a fake name server", () => {
  let asked: string[] = [];
  let answer = "";
  let guarded: GuardedFetch;
  const lookup: Lookup = (hostname, _options, callback) => {
    asked.push(hostname);
    callback(null, [{ address: answer, family: answer.includes(":") ? 6 : 4 }]);
  };
  beforeAll(() => {
    guarded = createGuardedFetch({ lookup });
  });
  afterAll(() => guarded.close());

  it.each(NOT_PUBLIC.filter(([range]) => range !== "not an address"))(
    "when a name resolves to %s, or the URL contains that address, then no connection is made",
    async (_range, ...addresses) => {
      for (const address of addresses) {
        asked = [];
        answer = address;
        await expect(guarded.fetch("http://localhost/")).rejects.toMatchObject({ code: "forbidden" });
        expect(asked, "looked up once").toEqual(["localhost"]);
        if (address.includes("%")) continue;
        const literal = address.includes(":") ? `[${address}]` : address;
        await expect(guarded.fetch(`http://${literal}/`)).rejects.toMatchObject({ code: "forbidden" });
      }
    },
  );
});
