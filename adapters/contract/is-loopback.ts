/** This machine itself: a proxy that is not declared as one, or who works here. What is counted per address leaves it out. */
export const isLoopback = (address: string): boolean => /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/i.test(address);
