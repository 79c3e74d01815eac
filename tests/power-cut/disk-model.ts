// What a disk holds, and what of it survives a power cut. Every file and folder has two states: what programs see, and what is on
// the disk for certain. The changes between the two wait until they are synced; a cut keeps some of them.

/** Bytes that grow as they are written. */
class Bytes {
  #buffer = Buffer.alloc(0);
  size = 0;

  write(offset: number, data: Uint8Array): void {
    this.resize(Math.max(this.size, offset + data.length));
    this.#buffer.set(data, offset);
  }

  resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#buffer.length));
      this.#buffer.copy(larger, 0, 0, this.size);
      this.#buffer = larger;
    } else if (size < this.size) this.#buffer.fill(0, size, this.size);
    this.size = size;
  }

  read(from = 0, to = this.size): Buffer {
    return this.#buffer.subarray(Math.min(from, this.size), Math.min(to, this.size));
  }

  copy(): Bytes {
    const copy = new Bytes();
    copy.write(0, this.read());
    return copy;
  }
}

type Change<State> = (state: State) => void;

/** A file, folder or link, with its changes since its last sync. */
abstract class Inode<State> {
  readonly number: number;
  mode: number;
  changedAt = Date.now();
  /** How often the kernel looked it up and has not forgotten it. */
  lookups = 0;
  readonly seen: State;
  protected readonly onDisk: State;
  #waiting: Change<State>[] = [];

  constructor(number: number, mode: number, make: () => State) {
    this.number = number;
    this.mode = mode;
    this.seen = make();
    this.onDisk = make();
  }

  protected change(change: Change<State>): void {
    change(this.seen);
    this.#waiting.push(change);
    this.changedAt = Date.now();
  }

  /** Brings everything to the disk. */
  sync(): void {
    for (const change of this.#waiting.splice(0)) change(this.onDisk);
  }

  /** The state that a cut leaves, with the waiting changes that `keeps` chooses. */
  survivorOf(copy: (state: State) => State, keeps: (index: number, count: number) => boolean): State {
    const state = copy(this.onDisk);
    for (const [index, change] of this.#waiting.entries())
      if (keeps(index, this.#waiting.length)) change(state);
    return state;
  }
}

export class File extends Inode<Bytes> {
  constructor(number: number, mode: number) {
    super(number, mode, () => new Bytes());
  }

  write(offset: number, data: Uint8Array): void {
    const own = Buffer.from(data);
    this.change((bytes) => bytes.write(offset, own));
  }

  resize(size: number): void {
    this.change((bytes) => bytes.resize(size));
  }
}

export class Link extends Inode<null> {
  readonly target: string;

  constructor(number: number, target: string) {
    super(number, 0o120777, () => null);
    this.target = target;
  }
}

export type Node = File | Folder | Link;

export class Folder extends Inode<Map<string, Node>> {
  constructor(number: number, mode: number) {
    super(number, mode, () => new Map());
  }

  put(name: string, node: Node): void {
    this.change((names) => names.set(name, node));
  }

  remove(name: string): void {
    this.change((names) => names.delete(name));
  }

  /** One change: a cut leaves the old name or the new one. */
  rename(from: string, to: string, node: Node): void {
    this.change((names) => {
      names.delete(from);
      names.set(to, node);
    });
  }
}

/** A file or folder after a cut. */
export type Survivor =
  | { readonly kind: "file"; readonly mode: number; readonly content: Buffer }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "folder"; readonly mode: number; readonly names: ReadonlyMap<string, Survivor> };

/**
 * Cuts the power: returns what the disk holds of a folder. Names survive up to a random point. Of the writes to a file, either those up to a
 * random point survive, or any of them, because a system writes pages in any order.
 */
export function survivorsOf(root: Folder, random: () => number): Survivor {
  const upTo = () => {
    const share = random();
    return (index: number, count: number) => index < Math.floor(share * (count + 1));
  };
  const survive = (node: Node): Survivor => {
    if (node instanceof Link) return { kind: "link", target: node.target };
    if (node instanceof File) {
      const keeps = random() < 0.5 ? upTo() : () => random() < 0.5;
      const content = node.survivorOf((bytes) => bytes.copy(), keeps).read();
      return { kind: "file", mode: node.mode, content };
    }
    const names = node.survivorOf((state) => new Map(state), upTo());
    return {
      kind: "folder",
      mode: node.mode,
      names: new Map([...names].map(([name, child]) => [name, survive(child)])),
    };
  };
  return survive(root);
}
