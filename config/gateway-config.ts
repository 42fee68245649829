import { z } from "zod";

const PublicUrl = z
  .string()
  .refine(isHttpOrigin, { error: 'must be an address such as "https://chat.example", without a path' })
  .transform((address) => new URL(address).origin);

export const GatewayConfig = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("The address to listen on; 0.0.0.0 for all."),
  port: z.int().min(0).max(65_535).default(8080).describe("0: any free port."),
  publicUrl: PublicUrl.optional().describe("How browsers and platforms reach the gateway, if not by its own port."),
});
export type GatewayConfig = z.infer<typeof GatewayConfig>;

function isHttpOrigin(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return (
    url !== undefined &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "") &&
    url.pathname === "/"
  );
}
