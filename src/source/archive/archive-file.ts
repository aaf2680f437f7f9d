/** A file as an archive lists it. */
export type ArchiveFile = {
  /** The path as the archive has it: it may try to lead out of the archive. */
  path: string
  sizeBytes: number
  /** Why it cannot be a page; null: it can. */
  refused: string | null
}

/** The content of a file, or why it cannot be read. */
export type ArchiveContent = { path: string } & ({ bytes: Buffer } | { reason: string })

/** The most files of an archive; an archive of documentation has fewer. */
const maxFiles = 250_000

/**
 * Refuses an archive with too many files.
 * @throws Error whose message is the reason alone
 */
export function checkCount(nFiles: number): void {
  if (nFiles > maxFiles) throw new Error(`it holds over ${maxFiles.toLocaleString('en')} files`)
}

/** An archive, read without writing any of it to the disk. */
export type Archive<File extends ArchiveFile = ArchiveFile> = {
  files: File[]
  /**
   * The contents of files, in the order of the archive; a path that occurs twice is given twice.
   */
  contents(paths: Pick<ReadonlySet<string>, 'has'>): AsyncIterable<ArchiveContent>
}
