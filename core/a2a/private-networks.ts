import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.process>;
type Network = readonly [address: Address, bits: number];

/** "10.1.0.0/16", "fd00::/8", or one address. Undefined: it is neither. */
export const parseNetwork = (text: string): Network | undefined => {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  }
  if (!isPlainAddress(text)) return undefined;
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
};

/** ipaddr.js also takes "127.1" and "0x7f.1", which no two programs read alike. */
const isPlainAddress = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);

/**
 * Whether an address may be reached: it is public, or in a network that is allowed by name. An IPv4 address inside an
 * IPv6 one counts as what it is.
 */
export const mayReach = (address: string, allowed: readonly string[]): boolean => {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() === "unicast") return true;
  return allowed.some((text) => {
    const network = parseNetwork(text);
    return network !== undefined && network[0].kind() === parsed.kind() && parsed.match(network[0], network[1]);
  });
};
