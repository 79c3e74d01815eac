import { open } from "lmdb";
import { unpack } from "./packed-record.ts";

// The process of `probeLmdb`: reads every record of the queue in the folder that it is given, and prints how many there are.
const [dir] = process.argv.slice(2);
if (dir === undefined) throw new Error("usage: read-lmdb-queue DIR");

const env = open({ path: dir, noSubdir: false, readOnly: true, maxDbs: 4 });

function readAll(name: string): number {
  let records = 0;
  for (const { value } of env.openDB<Uint8Array, number>({ name, encoding: "binary" }).getRange()) {
    unpack(value);
    records += 1;
  }
  return records;
}

console.log(JSON.stringify({ waiting: readAll("batches"), deadLetters: readAll("buried") }));
