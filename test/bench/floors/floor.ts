/** The bare driver with the durable work of the bus and the store only. */
export interface Floor {
  /** Resolves once a message is stored; it is handled when it arrives, and then stored as ended. */
  publish(body: object, handle: () => Promise<void>): Promise<void>;
  put(key: string, value: string): Promise<void>;
  close(): Promise<void>;
}

/** Published and handled; resolves when the handler has received it. */
export const roundTrip = async (floor: Floor): Promise<void> => {
  let handled: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    handled = resolve;
  });
  await floor.publish({ n: 1, text: "hello" }, async () => handled());
  await done;
};
