import { randomBytes } from "node:crypto";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { requireFreshBuild, startMooring } from "../e2e/mooring-process.ts";
import { Product } from "./product.ts";

beforeAll(requireFreshBuild);

let product: Product;
afterEach(() => product.dispose());

const TOKEN = randomBytes(32).toString("base64url");
const settings = (file: string) => ({
  admin: { tokens: [{ token: `\${file:${file}}`, role: "platform_admin" }] },
});

describe("given a token in a file that the configuration names (U1, U5)", () => {
  it("when Mooring is checked and started, then the token signs in, and no output has it", async () => {
    product = await Product.create({ backbone: "embedded" });
    await mkdir(join(product.folder, "secrets"));
    const file = join(product.folder, "secrets/operator");
    await writeFile(file, `${TOKEN}\n`);
    await chmod(file, 0o644);
    const mooring = await product.start("start", settings("secrets/operator"));
    await mooring.ready();
    await mooring.running;
    const me = await fetch(`${mooring.address}/admin/api/me`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect([me.status, await me.json()]).toEqual([200, expect.objectContaining({ role: "platform_admin" })]);
    expect(mooring.stdout()).toMatch(/Warning +secrets: .*chmod 640 \S+secrets\/operator/);

    // From another working directory: the path is relative to the configuration.
    const check = (name: string) =>
      startMooring(["check", "--config", `../${name}`], { cwd: join(product.folder, "secrets") });
    const valid = check("start-1.yaml");
    expect(await valid.exited).toEqual({ code: 0, signal: null });
    expect(valid.stdout()).toMatch(/^ {2}Secrets +from \S+secrets\/operator$/m);

    const agents = [{ name: "mooring", model: "demo", directives: "${file:secrets/absent}" }];
    const invalid = { agents, ...settings("secrets/"), metrics: { token: "${UNSET}" } };
    await writeFile(join(product.folder, "invalid.yaml"), JSON.stringify(invalid));
    const refused = check("invalid.yaml");
    expect((await refused.exited).code).not.toBe(0);
    const output = refused.stdout() + refused.stderr();
    expect(output).toMatch(/directives .*needs the file \S+secrets\/absent, which does not exist/);
    expect(output).toMatch(/token .*needs the file \S+secrets, which is not a regular file/);
    expect(output).toContain("needs the environment variable UNSET");
    for (const each of [mooring, valid, refused]) expect(each.stdout() + each.stderr()).not.toContain(TOKEN);
  });
});
