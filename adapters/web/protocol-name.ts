/** The subprotocol. docs/protocol.md describes it with an example of every frame. */
export const PROTOCOL = "mooring.v1";
