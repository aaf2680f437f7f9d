/** A file entry of an archive. */
export type ArchiveFile = {
  path: string
  sizeBytes: number
  /** The reason why the file cannot be a page; null if it can be one. */
  refusal: string | null
}

/** The content of a file, or the reason why it cannot be read. */
export type ArchiveContent = { path: string } & ({ bytes: Buffer } | { reason: string })

/** Maximum number of files in an archive. Archives of documentation have fewer. */
const maxFiles = 250_000

/**
 * Rejects an archive with too many files.
 * @throws Error whose message is only the reason
 */
export function checkFileCount(nFiles: number): void {
  if (nFiles > maxFiles) throw new Error(`it holds over ${maxFiles.toLocaleString('en')} files`)
}

export type Archive<File extends ArchiveFile = ArchiveFile> = {
  files: File[]
  /** Yields the contents of files, in archive order. If a path occurs twice, yields it twice. */
  contents(paths: Pick<ReadonlySet<string>, 'has'>): AsyncIterable<ArchiveContent>
}
