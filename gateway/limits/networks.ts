import { BlockList, isIPv6 } from "node:net";

/** Whether an address is in one of these networks; a network is an address, or one with its length. */
export const networksOf = (networks: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const each of networks) {
    const [network = "", bits] = each.split("/");
    const family = isIPv6(network) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return (address) => list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
};
