// The program below a mounted test disk: serves FUSE requests (linux/fuse.h) from the model in memory
// (`disk-model.ts`). On a message it writes what a power cut would leave to a plain folder. `cut-disk.ts` starts it as
// a separate process, because the disk's users wait for it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, read, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { seededRandom } from "../e2e/support/seeded-random.ts";
import type { CutMessage } from "./cut-disk.ts";
import { File, Folder, Link, type Node, type Survivor, survivorsOf } from "./disk-model.ts";

/** Where the disk is mounted, and which syncs it claims to do and does not: "files", "folders", both or none. */
const [path = "", ...ignored] = process.argv.slice(2);

const ENOENT = -2;
const EEXIST = -17;
const EINVAL = -22;
const ENOSYS = -38;
const ENOTEMPTY = -39;
const MAX_WRITE = 1024 * 1024;
const HEADER_BYTES = 40;
/** Seconds for which the kernel keeps names and attributes: only it changes them. */
const FOR_EVER = 1_000_000_000n;
const FOLDER_TYPE = 0o040000;
const FILE_TYPE = 0o100000;
/** O_DSYNC and O_SYNC of a write. */
const SYNC_FLAGS = 0o4010000;
/** Asynchronous and large reads and writes, parallel folders, and no requests for opening. */
const INIT_FLAGS = (1 << 0) | (1 << 5) | (1 << 17) | (1 << 18) | (1 << 22) | (1 << 24);
const SET_MODE = 1 << 0;
const SET_SIZE = 1 << 3;

let newest = 1;
const root = new Folder(1, FOLDER_TYPE | 0o700);
const nodes = new Map<number, Node>([[1, root]]);

/** Answers a request: the body of its answer, an error, or null when the kernel expects none. */
type Handler = (node: Node, body: Buffer) => Buffer | number | null;

const folderOf = (node: Node | undefined): Folder => {
  if (node instanceof Folder) return node;
  throw new Error("It is not a folder.");
};
const fileOf = (node: Node): File => {
  if (node instanceof File) return node;
  throw new Error("It is not a file.");
};
const texts = (body: Buffer): readonly string[] => body.toString("utf8").split("\0");
const nodeNumbered = (number: bigint): Node | undefined => nodes.get(Number(number));

function attributesOf(node: Node): Buffer {
  const size = node instanceof File ? node.seen.size : node instanceof Link ? node.target.length : 4096;
  const out = Buffer.alloc(88);
  out.writeBigUInt64LE(BigInt(node.number), 0);
  out.writeBigUInt64LE(BigInt(size), 8);
  out.writeBigUInt64LE(BigInt(Math.ceil(size / 512)), 16);
  for (const at of [24, 32, 40]) out.writeBigUInt64LE(BigInt(Math.floor(node.changedAt / 1000)), at);
  for (const at of [48, 52, 56]) out.writeUInt32LE((node.changedAt % 1000) * 1e6, at);
  out.writeUInt32LE(node.mode, 60);
  out.writeUInt32LE(node instanceof Folder ? 2 : 1, 64);
  out.writeUInt32LE(4096, 80);
  return out;
}

function entry(node: Node | undefined): Buffer {
  const out = Buffer.alloc(40);
  out.writeBigUInt64LE(FOR_EVER, 16);
  out.writeBigUInt64LE(FOR_EVER, 24);
  if (node === undefined) return Buffer.concat([out, Buffer.alloc(88)]);
  nodes.set(node.number, node);
  node.lookups += 1;
  out.writeBigUInt64LE(BigInt(node.number), 0);
  return Buffer.concat([out, attributesOf(node)]);
}

function attributes(node: Node): Buffer {
  const out = Buffer.alloc(16);
  out.writeBigUInt64LE(FOR_EVER, 0);
  return Buffer.concat([out, attributesOf(node)]);
}

function add(folder: Node, name: string, node: Node): Buffer {
  folderOf(folder).put(name, node);
  return entry(node);
}

function forget(number: bigint, lookups: bigint): void {
  const node = nodeNumbered(number);
  if (node === undefined || node === root) return;
  node.lookups -= Number(lookups);
  if (node.lookups <= 0) nodes.delete(node.number);
}

function move(node: Node, to: bigint, flags: number, body: Buffer): Buffer | number {
  const [oldName = "", newName = ""] = texts(body);
  const [from, into] = [folderOf(node), folderOf(nodeNumbered(to))];
  const moved = from.seen.get(oldName);
  const replaced = into.seen.get(newName);
  if (moved === undefined) return ENOENT;
  if (flags > 1) return EINVAL;
  if (flags === 1 && replaced !== undefined) return EEXIST;
  if (replaced instanceof Folder && replaced.seen.size > 0) return ENOTEMPTY;
  if (from === into) from.rename(oldName, newName, moved);
  else {
    into.put(newName, moved);
    from.remove(oldName);
  }
  return Buffer.alloc(0);
}

function list(folder: Folder, offset: number, size: number): Buffer {
  const parts: Buffer[] = [];
  let room = size;
  for (const [index, [name, node]] of [...folder.seen].entries()) {
    if (index < offset) continue;
    const bytes = Buffer.from(name);
    const part = Buffer.alloc(Math.ceil((24 + bytes.length) / 8) * 8);
    room -= part.length;
    if (room < 0) break;
    part.writeBigUInt64LE(BigInt(node.number), 0);
    part.writeBigUInt64LE(BigInt(index + 1), 8);
    part.writeUInt32LE(bytes.length, 16);
    part.writeUInt32LE(node.mode >> 12, 20);
    bytes.copy(part, 24);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function change(node: Node, body: Buffer): Buffer {
  const valid = body.readUInt32LE(0);
  if (valid & SET_SIZE) fileOf(node).resize(Number(body.readBigUInt64LE(16)));
  if (valid & SET_MODE) node.mode = body.readUInt32LE(68);
  return attributes(node);
}

function write(node: Node, body: Buffer): Buffer {
  const file = fileOf(node);
  const size = body.readUInt32LE(16);
  file.write(Number(body.readBigUInt64LE(8)), body.subarray(40, 40 + size));
  if (body.readUInt32LE(32) & SYNC_FLAGS) sync(file);
  const out = Buffer.alloc(8);
  out.writeUInt32LE(size, 0);
  return out;
}

function sync(node: Node): Buffer {
  if (!ignored.includes(node instanceof Folder ? "folders" : "files")) node.sync();
  return Buffer.alloc(0);
}

function remove(node: Node, body: Buffer): Buffer | number {
  const folder = folderOf(node);
  const [name = ""] = texts(body);
  const removed = folder.seen.get(name);
  if (removed === undefined) return ENOENT;
  if (removed instanceof Folder && removed.seen.size > 0) return ENOTEMPTY;
  folder.remove(name);
  return Buffer.alloc(0);
}

function initialize(body: Buffer): Buffer {
  const out = Buffer.alloc(64);
  out.writeUInt32LE(7, 0);
  out.writeUInt32LE(31, 4);
  out.writeUInt32LE(body.readUInt32LE(8), 8);
  out.writeUInt32LE(INIT_FLAGS, 12);
  out.writeUInt32LE(MAX_WRITE, 20);
  out.writeUInt32LE(1, 24);
  out.writeUInt16LE(MAX_WRITE / 4096, 28);
  return out;
}

/** By the number of the operation. What is not here is answered "not implemented", and the kernel does without. */
const handlers: Readonly<Record<number, Handler>> = {
  1: (node, body) => entry(folderOf(node).seen.get(texts(body)[0] ?? "")),
  2: (node, body) => {
    forget(BigInt(node.number), body.readBigUInt64LE(0));
    return null;
  },
  3: attributes,
  4: change,
  5: (node) => (node instanceof Link ? Buffer.from(node.target) : EINVAL),
  6: (node, body) => add(node, texts(body)[0] ?? "", new Link(++newest, texts(body)[1] ?? "")),
  8: (node, body) =>
    add(node, texts(body.subarray(16))[0] ?? "", new File(++newest, body.readUInt32LE(0) | FILE_TYPE)),
  9: (node, body) =>
    add(node, texts(body.subarray(8))[0] ?? "", new Folder(++newest, body.readUInt32LE(0) | FOLDER_TYPE)),
  10: remove,
  11: remove,
  12: (node, body) => move(node, body.readBigUInt64LE(0), 0, body.subarray(8)),
  13: (node, body) => add(node, texts(body.subarray(8))[0] ?? "", nodeNumbered(body.readBigUInt64LE(0))!),
  15: (node, body) => {
    const from = Number(body.readBigUInt64LE(8));
    return fileOf(node).seen.read(from, from + body.readUInt32LE(16));
  },
  16: write,
  17: () => {
    const out = Buffer.alloc(80);
    for (const at of [0, 8, 16, 24, 32]) out.writeBigUInt64LE(16_777_216n, at);
    for (const [at, value] of [
      [40, 4096],
      [44, 255],
      [48, 4096],
    ] as const)
      out.writeUInt32LE(value, at);
    return out;
  },
  20: sync,
  26: (_node, body) => initialize(body),
  28: (node, body) => list(folderOf(node), Number(body.readBigUInt64LE(8)), body.readUInt32LE(16)),
  30: sync,
  36: () => null, // an interrupt: every answer is about to be given
  42: (_node, body) => {
    for (let at = 8; at < 8 + 16 * body.readUInt32LE(0); at += 16)
      forget(body.readBigUInt64LE(at), body.readBigUInt64LE(at + 8));
    return null;
  },
  45: (node, body) => move(node, body.readBigUInt64LE(0), body.readUInt32LE(8), body.subarray(16)),
};

function answer(request: Buffer): Buffer | null {
  const handler = handlers[request.readUInt32LE(4)];
  const node = nodeNumbered(request.readBigUInt64LE(16)) ?? root;
  const result = handler === undefined ? ENOSYS : handler(node, request.subarray(HEADER_BYTES));
  if (result === null) return null;
  const body = typeof result === "number" ? Buffer.alloc(0) : result;
  const out = Buffer.alloc(16 + body.length);
  out.writeUInt32LE(out.length, 0);
  out.writeInt32LE(typeof result === "number" ? result : 0, 4);
  request.copy(out, 8, 8, 16);
  body.copy(out, 16);
  return out;
}

/** Writes survivors into a plain folder. */
function lay(survivor: Survivor, at: string): void {
  if (survivor.kind === "link") symlinkSync(survivor.target, at);
  else if (survivor.kind === "file") writeFileSync(at, survivor.content, { mode: survivor.mode & 0o777 });
  else {
    mkdirSync(at, { recursive: true, mode: survivor.mode & 0o777 });
    for (const [name, child] of survivor.names) lay(child, join(at, name));
  }
}

process.umask(0);
const device = openSync("/dev/fuse", "r+");
const request = Buffer.alloc(MAX_WRITE + 64 * 1024);

function serveNext(): void {
  read(device, request, 0, request.length, null, (error, length) => {
    if (error?.code === "ENODEV") process.exit(0); // unmounted
    if (error === null) {
      const out = answer(request.subarray(0, length));
      // The kernel forgets a request whose program was killed, and refuses its answer.
      if (out !== null) ignoreGone(() => writeSync(device, out));
    } else if (error.code !== "ENOENT" && error.code !== "EINTR" && error.code !== "EAGAIN") throw error;
    serveNext();
  });
}

function ignoreGone(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

// Who uses the disk has ended, or has no more use for it.
process.on("disconnect", () => {
  spawnSync("umount", ["-l", path]);
  process.exit(0);
});
process.on("message", ({ seed, into }: CutMessage) => {
  lay(survivorsOf(root, seededRandom(seed)), into);
  process.send!("cut");
});
const options = "fd=3,rootmode=40700,user_id=0,group_id=0,allow_other,default_permissions";
const mounting = spawn("mount", ["-i", "-t", "fuse", "-o", options, "assay-power-cut", path], {
  stdio: ["ignore", "ignore", "inherit", device],
});
const [code] = await once(mounting, "close");
if (code !== 0) throw new Error(`mount ended with code ${code}.`);
serveNext();
process.send!("mounted");
