import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { projectRoot } from "../setup/project-files.ts";

/** An npm registry on loopback that serves the packages of this project's node_modules: npm installs without a network. */
export class LocalRegistry {
  readonly #server: Server = createServer((request, response) => this.#answer(request.url ?? "/", response));

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, response: ServerResponse): void {
    const [, name = "", tarball] = /^\/(.+?)(\/-\/package\.tgz)?$/.exec(decodeURIComponent(path)) ?? [];
    const folder = join(projectRoot, "node_modules", name);
    if (!existsSync(join(folder, "package.json"))) response.writeHead(404).end("{}");
    else if (tarball !== undefined) sendTarball(folder, response);
    else response.writeHead(200, { "content-type": "application/json" }).end(this.#packument(name, folder));
  }

  #packument(name: string, folder: string): string {
    const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const { version, optionalDependencies = {} } = manifest;
    // Those of other platforms are not installed here.
    const optional = Object.entries(optionalDependencies).filter(([each]) =>
      existsSync(join(projectRoot, "node_modules", each)),
    );
    const dist = { tarball: `${this.url}${name}/-/package.tgz` };
    return JSON.stringify({
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { ...manifest, optionalDependencies: Object.fromEntries(optional), dist } },
    });
  }
}

const sendTarball = (folder: string, response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "application/octet-stream" });
  const name = folder.slice(dirname(folder).length + 1);
  const args = ["-cz", "--exclude", `${name}/node_modules`, "-C", dirname(folder), name];
  spawn("tar", args, { stdio: ["ignore", "pipe", "inherit"] }).stdout.pipe(response);
};
