import { StartupError } from "@assay/domain";
/** Says that the data folder belongs to another live process; the message is one line and says what to do. */
export class DataFolderLockedError extends StartupError {
  override readonly name = "DataFolderLockedError";
  /** The process that holds the folder, or null when the folder does not tell. */
  readonly holderPid: number | null;

  constructor(dataDir: string, holderPid: number | null) {
    const holder = holderPid === null ? "another process" : `another process (pid ${holderPid})`;
    super(
      `The data folder ${dataDir} is in use by ${holder}: stop it, or start with a different data folder.`,
    );
    this.holderPid = holderPid;
  }
}
