import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { VERSION } from "@assay/server";
import { SETTINGS } from "@assay/server/settings";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const files = globSync("deploy/**/*.*", { cwd: root }).concat("deploy/Dockerfile");
const dockerfile = read("deploy/Dockerfile");
const compose = read("deploy/compose.yaml");
const chart = globSync("deploy/helm/assay/**/*.*", { cwd: root });
const deployments = read("deploy/helm/assay/templates/deployments.yaml");

/** What a pattern's first group finds, each once. */
const found = (text: string, pattern: RegExp) => [
  ...new Set([...text.matchAll(pattern)].map(([, group]) => group)),
];

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly link?: boolean }>>;
}
const lock = JSON.parse(read("package-lock.json")) as Lock;

test("every setting that the deployment files name exists", () => {
  expect(files.length).toBeGreaterThan(10);
  const known = SETTINGS.map(({ name }) => name);
  const named = files.flatMap((path) => found(read(path), /\b(ASSAY_[A-Z_]*[A-Z])\b/g));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => name === undefined || !known.includes(name))).toEqual([]);
});

test.each([
  "ASSAY_DATABASE_URL",
  "ASSAY_EVENTS_URL",
  "ASSAY_QUEUE_URL",
  "ASSAY_MASTER_KEY",
  "ASSAY_TRUSTED_PROXIES",
])("compose sets %s, which several processes behind a proxy need", (name) => {
  expect(compose).toMatch(new RegExp(`^  ${name}: \\S`, "m"));
});

test("the image has the Node that the repository pins, and the manifest of every workspace", () => {
  const pinned = (JSON.parse(read("package.json")) as { dependencies: { node: string } }).dependencies.node;
  expect(found(dockerfile, /^FROM node:([\d.]+)-/gm)).toEqual([pinned]);
  const workspaces = Object.keys(lock.packages).filter((path) =>
    /^(apps|clients|packages)\/[^/]+$/.test(path),
  );
  expect(workspaces.length).toBeGreaterThan(8);
  expect(found(dockerfile, /^COPY (\S+)\/package\.json \S+\/$/gm).sort()).toEqual(workspaces.sort());
});

test("the image contains every file of ours that is loaded", () => {
  // Their sources are copied whole; what the service needs of them is what the command line reaches.
  const copied = found(dockerfile, /^COPY (\S+) \1$/gm);
  const linked = [
    "cli",
    "client",
    "server",
    "bucketing",
    "contract",
    "domain",
    "pipeline",
    "stats",
    "storage",
  ];
  const folders = Object.entries(lock.packages)
    .filter(([path, { link }]) => link && linked.includes(path.replace("node_modules/@assay/", "")))
    .map(([path]) => (lock.packages[path] as unknown as { resolved: string }).resolved);
  expect(folders).toHaveLength(linked.length);
  expect(folders.filter((folder) => !copied.some((path) => `${folder}/`.startsWith(`${path}/`)))).toEqual([]);
});

test("every image is pinned to a version, and the engines to those that the suites run", () => {
  const images = found(compose, /^ {2,4}image: (\S+)$/gm).filter((image) => !image?.startsWith("assay:"));
  expect(images).toHaveLength(4);
  for (const image of images) expect(image).toMatch(/:\d+\.\d+/);
  const engine = lock.packages["node_modules/@chdb/lib-linux-x64-gnu"]?.version ?? "";
  expect(images).toContain(`clickhouse/clickhouse-server:${engine.split(".").slice(0, 2).join(".")}`);
  const nats = /VERSION = "v([\d.]+)"/.exec(read("tests/servers/nats.ts"))?.[1];
  expect(images).toContain(`nats:${nats}-alpine`);
});

test("the chart has this version of the service", () => {
  expect(read("deploy/helm/assay/Chart.yaml")).toContain(`\nappVersion: ${VERSION}\n`);
});

test("probes, metrics and proxies use paths and a port that the service serves", () => {
  const routes = read("apps/server/src/planes/public/probes.ts");
  const probed = [dockerfile, ...chart.map(read)].flatMap((text) =>
    found(text, /[ `}](\/[a-z]+z|\/metrics)\b/g),
  );
  expect(new Set(probed)).toEqual(new Set(["/healthz", "/readyz", "/metrics"]));
  for (const path of new Set(probed)) expect(routes).toContain(`"${path}"`);
  expect(found(deployments, /httpGet: \{ path: (\S+),/g)).toEqual(["/healthz", "/readyz"]);
  const port = SETTINGS.find(({ name }) => name === "ASSAY_PORT")?.default;
  expect(found(dockerfile, /^EXPOSE (\d+)$/gm)).toEqual([port]);
  expect(found(deployments, /containerPort: (\d+)/g)).toEqual([port]);
  expect(found(read("deploy/compose/haproxy.cfg"), / api:(\d+) /g)).toEqual([port]);
});
