export const isLoopback = (address: string): boolean => /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);

/**
 * How many times the limits of one address apply to this one. Loopback stands for everything on this machine: tools of
 * its operator, or all visitors of a local proxy that `trustedProxies` does not name.
 */
export const allowanceOf = (address: string): number => (isLoopback(address) ? LOOPBACK_ALLOWANCE : 1);

const LOOPBACK_ALLOWANCE = 10;
