import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.process>;
type Network = readonly [address: Address, bits: number];

/** Parses "10.1.0.0/16", "fd00::/8" or a single address; undefined for anything else. */
export const parseNetwork = (text: string): Network | undefined => {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  }
  if (!isPlainAddress(text)) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
};

/** ipaddr.js also accepts "127.1" and "0x7f.1", which programs interpret differently. */
const isPlainAddress = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/** Public in the registries, but internal in a cloud: Azure's wire server. */
const CLOUD_SERVICES: readonly Network[] = [[ipaddr.IPv4.parse("168.63.129.16"), 32]];

/** The only IPv6 space that IANA has opened for global unicast (RFC 4291, section 2.4). */
const GLOBAL_UNICAST: Network = [ipaddr.IPv6.parse("2000::"), 3];

/** NAT64 with the well-known prefix: on a DNS64 network every IPv4-only host resolves into it (RFC 6052). */
const NAT64: Network = [ipaddr.IPv6.parse("64:ff9b::"), 96];

/**
 * Whether an address is public or in an allowed network. An IPv4 address that is mapped or translated into an IPv6
 * address is checked as that IPv4 address.
 */
export const mayReach = (address: string, allowed: readonly string[]): boolean => {
  if (!isPlainAddress(address)) return false;
  const parsed = withoutTranslation(ipaddr.process(inHex(address)));
  if (isPublic(parsed)) return true;
  return allowed.some((text) => {
    const network = parseNetwork(text);
    return network !== undefined && isIn(parsed, network);
  });
};

/** ipaddr.js has the ranges of IANA's special-purpose registries; "unicast" means that none of them matches. */
const isPublic = (address: Address): boolean => {
  if (address.range() !== "unicast") return false;
  if (address.kind() === "ipv6") return isIn(address, GLOBAL_UNICAST);
  return !CLOUD_SERVICES.some((network) => isIn(address, network));
};

/** ipaddr.js reads "::1.2.3.4" as "::ffff:1.2.3.4", which is another address; in hex it does not. */
const inHex = (address: string): string =>
  /^[^%]*:[^%]*\./.test(address) ? new URL(`http://[${address.replace(/%.*/, "")}]`).hostname.slice(1, -1) : address;

const withoutTranslation = (address: Address): Address =>
  isIn(address, NAT64) ? ipaddr.fromByteArray(address.toByteArray().slice(-4)) : address;

const isIn = (address: Address, [network, bits]: Network): boolean =>
  address.kind() === network.kind() && address.match(network, bits);
